@ Runs in the RAM of an nRF51 or nRF52 while it is programmed: takes work from two slots in turn and does it.
@ Its machine words are in FlashLoaderCode.swift; a test assembles this file and compares.
@
@ A slot is CAPACITY bytes of data and, right behind them, four words: address, bytes, argument, command. The debugger writes the data first and
@ the command last; the loader writes 0 over the command when it is done, and all ones if it refuses. Slot 1 begins behind slot 0.
@   command 1: checksum. `argument` stretches of `bytes` bytes each from `address` on; their CRC-32s replace the slot's data.
@   command 2: program. `bytes` bytes of data go to `address`, in whole pages: erased where they are not blank. `argument` is the data's CRC-32:
@              what arrived damaged is refused before anything is erased.
@
@ r0 = slot 0, r1 = CAPACITY, r2 = bytes of a flash page, r3 = 1 KB of RAM for a table. Needs no stack. ARMv6-M, position independent.

    .syntax unified
    .cpu cortex-m0
    .thumb
    .global start
start:
    cpsid   i                   @ the vector table belongs to the firmware that is being replaced
    mov     r8, r0              @ r8: the slot
    mov     r9, r1              @ r9: CAPACITY
    mov     r10, r2             @ r10: the page size
    mov     r11, r3             @ r11: the table
    adds    r1, #16
    adds    r1, r1, r0
    eors    r1, r0
    mov     r12, r1             @ r12: turns either slot's address into the other's

    @ The table of CRC-32: the reflected polynomial applied to every byte.
    ldr     r4, polynomial
    movs    r0, #0
1:  movs    r1, r0
    movs    r2, #8
2:  lsrs    r1, r1, #1
    bcc     3f
    eors    r1, r4
3:  subs    r2, #1
    bne     2b
    stmia   r3!, {r1}
    adds    r0, #1
    cmp     r0, #255
    bls     1b

next:
    mov     r7, r8
    add     r7, r9
4:  bl      feed
    ldr     r0, [r7, #12]
    cmp     r0, #1
    beq     checksum
    cmp     r0, #2
    bne     4b

    ldmia   r7!, {r4, r5, r6}   @ address, bytes, argument
    mov     r7, r4
    mov     r0, r8
    adds    r1, r0, r5
    bl      crc
    cmp     r2, r6
    beq     program
    movs    r0, #0
    mvns    r0, r0
    b       answer

program:
    movs    r0, r7
    adds    r1, r7, r5
    ldr     r5, ready
    ldr     r6, nvmc
5:  bl      feed
    mov     r3, r10
    adds    r3, r3, r0          @ the end of this page
6:  ldmia   r0!, {r2}
    adds    r2, #1
    bne     erase
    cmp     r0, r3
    blo     6b
    b       8f
erase:
    movs    r2, #2
    str     r2, [r6, #4]        @ CONFIG: erase
    mov     r0, r10
    subs    r2, r3, r0
    str     r2, [r6, #8]        @ ERASEPAGE
7:  ldr     r2, [r5]
    lsrs    r2, r2, #1
    bcc     7b
    movs    r0, r3
8:  cmp     r0, r1
    blo     5b

    movs    r2, #1
    str     r2, [r6, #4]        @ CONFIG: write
    mov     r3, r8
    movs    r0, r7
9:  ldmia   r3!, {r2}
    adds    r4, r2, #1
    beq     11f                 @ all ones stay erased
    str     r2, [r0]
10: ldr     r4, [r5]
    lsrs    r4, r4, #1
    bcc     10b
11: adds    r0, #4
    cmp     r0, r1
    blo     9b
    movs    r0, #0
    str     r0, [r6, #4]        @ CONFIG: read only
    b       done

checksum:
    ldmia   r7!, {r4, r5, r6}
    movs    r0, r4
    mov     r7, r8
12: adds    r1, r0, r5
    bl      crc
    stmia   r7!, {r2}
    subs    r6, #1
    bne     12b

done:
    movs    r0, #0
    mov     r1, r8
    mov     r2, r12
    eors    r2, r1              @ the other slot is next
    mov     r7, r1
    add     r7, r9
    str     r0, [r7, #12]
    mov     r8, r2
    b       next
answer:                         @ refused: the same slot stays in turn
    mov     r7, r8
    add     r7, r9
    str     r0, [r7, #12]
    b       next

@ r2 = CRC-32 of the words from r0 up to r1. Leaves r0 = r1; uses r3 and r4.
crc:
    mov     r4, r11
    movs    r2, #0
    mvns    r2, r2
13: ldmia   r0!, {r3}
    eors    r2, r3
    .rept   4
    uxtb    r3, r2
    lsls    r3, r3, #2
    ldr     r3, [r4, r3]
    lsrs    r2, r2, #8
    eors    r2, r3
    .endr
    cmp     r0, r1
    blo     13b
    mvns    r2, r2
    bx      lr

@ Feeds the watchdog, which goes on if the old firmware had started it and the chip was not reset. Uses r2 and r4.
feed:
    ldr     r2, reload
    ldr     r4, request
    .rept   8
    stmia   r2!, {r4}
    .endr
    bx      lr

    .balign 4
polynomial:
    .word   0xEDB88320
ready:
    .word   0x4001E400          @ NVMC READY, bit 0
nvmc:
    .word   0x4001E500          @ CONFIG is at 4, ERASEPAGE at 8 from here
reload:
    .word   0x40010600          @ WDT RR[0] to RR[7]
request:
    .word   0x6E524635          @ the value that reloads
