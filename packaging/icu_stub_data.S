// The data of ICU, without any: a header and an empty table of contents, as ICU's own "stubdata" library has it
// (ICU User Guide, "ICU Data", "Linker stub"). The toolchain's static Foundation contains 34 MB of data for the
// languages and calendars of the world. No program of this repository formats or compares text by language, so
// that functions of ICU that need data return U_MISSING_RESOURCE_ERROR, and none is called.
//
// The linker is told to take this symbol for icudtNN_dat (--defsym), and leaves out the archive's member with the data.
    .section .rodata
    .globl herald_icu_stub_data
    .balign 16
herald_icu_stub_data:
    .short 32                       // the size of the header
    .byte 0xDA, 0x27                // the magic number
    .short 20, 0                    // the size of UDataInfo, reserved
    .byte 0, 0, 2, 0                // little endian, ASCII, 16-bit UChar
    .byte 0x43, 0x6D, 0x6E, 0x44    // "CmnD": common data
    .byte 1, 0, 0, 0                // the version of the format
    .byte 0, 0, 0, 0                // the version of the data
    .balign 32
    .long 0, 0                      // the number of entries
    .long 0, 0, 0, 0
    .section .note.GNU-stack, "", %progbits
