"""Bumble's virtual controllers on one link: the radio medium of the interop tests and of the demo.

A controller is used by a Bumble host in this process, or by any program over H4 on a TCP port. Bumble's controllers work in tests of a few seconds; the corrections
in this file are needed for longer ones. Each describes the behaviour of Bumble 0.0.236. """

import asyncio

from bumble import hci, ll
from bumble.controller import Controller, LegacyAdvertiser
from bumble.core import PhysicalTransport
from bumble.host import Host
from bumble.link import LocalLink
from bumble.transport.common import AsyncPipeSink, PacketParser


# The RSSI on every connection in dBm; different from that of any advertisement.
CONNECTION_RSSI = -57


class Air(LocalLink):
    """The radio medium of all controllers. With a `centre` all are in range of that controller only."""

    def __init__(self):
        super().__init__()
        self.centre = None

    async def attach(self, name):
        """A controller on this medium, and a host on it."""
        controller = add_controller(self, name, "00:00:00:00:00:00")
        return controller, Host(controller, AsyncPipeSink(controller))

    def hearers(self, sender):
        """The controllers in range of a controller; none if it was removed from the medium."""
        if sender not in self.controllers:
            return []
        if self.centre is None or sender is self.centre:
            return [controller for controller in self.controllers if controller is not sender]
        return [self.centre]

    def send_advertising_pdu(self, sender_controller, packet):
        # Bumble delivers a connection request later, when another device may have connected to the same advertiser; one of
        # the two then holds a connection that the advertiser does not depend on.
        for controller in self.hearers(sender_controller):
            if isinstance(packet, ll.ConnectInd):
                controller.on_ll_advertising_pdu(packet)
            else:
                asyncio.get_running_loop().call_soon(controller.on_ll_advertising_pdu, packet)

    def send_ll_control_pdu(self, sender_address, receiver_address, packet):
        # Bumble raises an error if the peer is gone.
        if self.find_le_controller(receiver_address):
            super().send_ll_control_pdu(sender_address, receiver_address, packet)

    def send_acl_data(self, sender_controller, destination_address, transport, data):
        # Bumble names the sender by its random address of the moment, which is wrong once that has changed, and for a
        # connection opened with the public one.
        connection = sender_controller.le_connections.get(destination_address)
        destination = self.find_le_controller(destination_address)
        if connection and destination:
            asyncio.get_running_loop().call_soon(
                destination.on_link_acl_data, connection.self_address, PhysicalTransport.LE, data
            )

    def scan_response(self, address):
        """The scan response of who advertises under this address; empty if there is none."""
        for controller in self.controllers:
            for advertiser in (controller.le_legacy_advertiser, *controller.advertising_sets.values()):
                if advertiser.enabled and advertiser.address == address:
                    return bytes(advertiser.scan_response_data)
        return b""

    def listens(self, address):
        """Whether a controller advertises under this address, so that a connection to it can be opened."""
        for controller in self.controllers:
            legacy = controller.le_legacy_advertiser
            if legacy.enabled and legacy.address == address:
                return True
            if any(s.enabled and s.address == address for s in controller.advertising_sets.values()):
                return True
        return False


class BeaconAdvertiser(LegacyAdvertiser):
    """Legacy advertising, also non-connectable and non-scannable."""

    def send_advertising_data(self):
        kinds = hci.HCI_LE_Set_Advertising_Parameters_Command.AdvertisingType
        if self.enabled and self.advertising_type == kinds.ADV_NONCONN_IND:
            self.controller.send_advertising_pdu(ll.AdvNonConnInd(advertiser_address=self.address, data=self.advertising_data))
        else:
            super().send_advertising_data()


class AirController(Controller):
    """A controller that resets, cancels and disconnects like a real one."""

    def on_hci_reset_command(self, command):
        self.silence()
        return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.SUCCESS)

    def send_hci_packet(self, packet):
        # Bumble's controllers report the advertising data again in the place of the scan response.
        for report in getattr(packet, "reports", []):
            kinds = type(packet).EventType
            is_response = (report.event_type & kinds.SCAN_RESPONSE if isinstance(packet, hci.HCI_LE_Extended_Advertising_Report_Event)
                           else report.event_type == kinds.SCAN_RSP)
            if is_response:
                report.data = self.link.scan_response(report.address) or report.data
                # Made again, as the packet has its bytes already.
                packet = type(packet)([report])
        super().send_hci_packet(packet)

    def beacon(self):
        """Makes it send ADV_NONCONN_IND, which Bumble's controllers do not support."""
        self.le_legacy_advertiser = BeaconAdvertiser(self)

    def on_ll_advertising_pdu(self, packet):
        if not isinstance(packet, ll.AdvNonConnInd):
            super().on_ll_advertising_pdu(packet)
        elif self.le_scan_enable:
            reports = hci.HCI_LE_Extended_Advertising_Report_Event
            self.send_hci_packet(reports([reports.Report(
                event_type=reports.EventType.LEGACY_ADVERTISING_PDU_USED,
                address_type=packet.advertiser_address.address_type, address=packet.advertiser_address,
                primary_phy=hci.Phy.LE_1M, secondary_phy=0, advertising_sid=0xFF, tx_power=127, rssi=-50,
                periodic_advertising_interval=0, direct_address_type=0, direct_address=hci.Address.ANY, data=packet.data)]))

    def silence(self):
        """Back to the state after power-on. Bumble leaves everything running after a Reset."""
        self.le_legacy_advertiser.stop()
        for advertising_set in self.advertising_sets.values():
            advertising_set.stop()
        self.advertising_sets.clear()
        self.le_scan_enable = False
        self.pending_le_connection = None
        for connection in list(self.le_connections.values()):
            peer = self.link.find_le_controller(connection.peer_address)
            other = peer and peer.le_connections.get(connection.self_address)
            if other:
                peer.on_le_disconnected(other, hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR)
        self.le_connections.clear()
        self.random_address = hci.Address("00:00:00:00:00:00")

    def on_hci_le_create_connection_cancel_command(self, command):
        # Bumble accepts the cancellation and keeps connecting.
        pending, self.pending_le_connection = self.pending_le_connection, None
        if pending is None:
            return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.COMMAND_DISALLOWED_ERROR)
        asyncio.get_running_loop().call_soon(
            self.connection_failed, pending.peer_address, hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR
        )
        return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.SUCCESS)

    def connection_failed(self, peer_address, status):
        self.send_hci_packet(
            hci.HCI_LE_Connection_Complete_Event(
                status=status, connection_handle=0, role=0, peer_address_type=peer_address.address_type,
                peer_address=peer_address, connection_interval=0, peripheral_latency=0, supervision_timeout=0,
                central_clock_accuracy=0,
            )
        )

    def create_le_connection(self, peer_address):
        if peer_address in self.le_connections:
            # Bumble logs an error and leaves the attempt pending permanently.
            self.pending_le_connection = None
            self.connection_failed(peer_address, hci.HCI_ErrorCode.CONNECTION_ALREADY_EXISTS_ERROR)
        elif self.link.listens(peer_address):
            super().create_le_connection(peer_address)

    def on_le_disconnected(self, connection, reason):
        if self.le_connections.get(connection.peer_address) is connection:
            super().on_le_disconnected(connection, reason)

    def on_hci_read_rssi_command(self, command):
        # Bumble does not know the command.
        is_open = self.find_le_connection_by_handle(command.handle) is not None
        return hci.HCI_Read_RSSI_ReturnParameters(
            status=hci.HCI_ErrorCode.SUCCESS if is_open else hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR,
            handle=command.handle, rssi=CONNECTION_RSSI)

    def on_hci_disconnect_command(self, command):
        if self.find_le_connection_by_handle(command.connection_handle) is None:
            self._send_hci_command_status(
                hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR, command.op_code
            )
            return
        super().on_hci_disconnect_command(command)


# The states and combinations of LE Read Supported States. Bumble's controllers report that they cannot scan while they connect, like some real ones; most can.
EVERYTHING_AT_ONCE = bytes.fromhex("ffffffffff030000")


def add_controller(air, name, public_address, stock=False, states=None):
    """A controller on this medium; `stock` selects Bumble's uncorrected one."""
    kind = Controller if stock else AirController
    address = hci.Address(public_address, hci.Address.PUBLIC_DEVICE_ADDRESS)
    controller = kind(name, link=air, public_address=address)
    if states:
        controller.le_states = states
    return controller


class HostPort(asyncio.Protocol):
    """H4 over a TCP port, for one host at a time. When the host disconnects, the controller is switched off."""

    def __init__(self, controller):
        self.controller = controller
        self.parser = PacketParser(controller)
        self.transport = None

    def connection_made(self, transport):
        self.transport = transport
        self.controller.host = self

    def on_packet(self, packet):
        if self.transport and not self.transport.is_closing():
            self.transport.write(packet)

    def data_received(self, data):
        self.parser.feed_data(data)

    def connection_lost(self, error):
        self.transport = None
        if self.controller.host is self:
            self.controller.host = None
            if isinstance(self.controller, AirController):
                self.controller.silence()


async def serve(controller, port=0):
    """Offers a controller on a TCP port of this machine, which a socket of the same user can reserve while it is not offered. Returns the server;
    its port is `port_of(server)`."""
    return await asyncio.get_running_loop().create_server(lambda: HostPort(controller), "127.0.0.1", port, reuse_port=True)


def port_of(server):
    """The port a server listens on."""
    return server.sockets[0].getsockname()[1]
