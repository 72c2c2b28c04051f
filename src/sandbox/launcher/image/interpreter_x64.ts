import type { Interpreter } from "./interpreter.ts";

/**
 * The interpreter for x86-64. Left: the bytes that run; right: their source
 * (GNU assembler, intel syntax), which a test assembles and compares. See interpreter.ts for what an entry means.
 */
const LISTING: Interpreter["listing"] = [
  // One register walks the table; it starts where image.ts puts it (TABLE_ADDRESS).
  ["bb00046000", "_start: mov ebx, 0x600400"],
  // Load one entry and make its system call; a comparison makes none.
  ["48837b4004", "loop: cmp qword ptr [rbx+64], 4"],
  ["744e", "je compare"],
  ["488b03", "mov rax, [rbx]"],
  ["488b7b08", "mov rdi, [rbx+8]"],
  ["488b7310", "mov rsi, [rbx+16]"],
  ["488b5318", "mov rdx, [rbx+24]"],
  ["4c8b5320", "mov r10, [rbx+32]"],
  ["4c8b4328", "mov r8, [rbx+40]"],
  ["4c8b4b30", "mov r9, [rbx+48]"],
  ["0f05", "syscall"],
  ["483d00f0ffff", "cmp rax, -4096"],
  ["773f", "ja failed"],
  ["8b4b40", "mov ecx, [rbx+64]"],
  ["83f902", "cmp ecx, 2"],
  ["745d", "je forked"],
  ["83f905", "cmp ecx, 5"],
  ["7458", "je forked"],
  ["83f903", "cmp ecx, 3"],
  ["7506", "jne store"],
  ["483b4348", "cmp rax, [rbx+72]"],
  ["751e", "jne mismatch"],
  // Hand the result (a descriptor) to a later entry or struct, if the entry asks for it.
  ["488b4b38", "store: mov rcx, [rbx+56]"],
  ["4885c9", "test rcx, rcx"],
  ["7402", "jz next"],
  ["8901", "mov [rcx], eax"],
  ["4883c358", "next: add rbx, 88"],
  ["ebab", "jmp loop"],
  // Mode 4: the 64-bit word at the first argument must equal the expected one.
  ["488b4b08", "compare: mov rcx, [rbx+8]"],
  ["488b01", "mov rax, [rcx]"],
  ["483b4348", "cmp rax, [rbx+72]"],
  ["74ed", "je next"],
  // A wrong result or word is reported as errno 116 (ESTALE).
  ["48c7c08cffffff", "mismatch: mov rax, -116"],
  ["eb07", "jmp fatal"],
  // Mode 1 goes on after an error; every other mode stops here.
  ["48837b4001", "failed: cmp qword ptr [rbx+64], 1"],
  ["74dd", "je next"],
  // Write the entry with its errno to the report descriptor and exit 126: execve is never reached.
  ["48f7d8", "fatal: neg rax"],
  ["48894308", "mov [rbx+8], rax"],
  ["c7434007000000", "mov dword ptr [rbx+64], 7"],
  ["e8be000000", "call report"],
  ["bf7e000000", "mov edi, 126"],
  ["b8e7000000", "exit: mov eax, 231"],
  ["0f05", "syscall"],
  // Modes 2 and 5: the child goes on with the table; the parent reports its pid.
  ["85c0", "forked: test eax, eax"],
  ["74ba", "jz next"],
  ["4189c4", "mov r12d, eax"],
  ["48894308", "mov [rbx+8], rax"],
  ["e8a2000000", "call report"],
  ["b8b4010000", "mov eax, 436"],
  ["31ff", "xor edi, edi"],
  ["be3e000000", "mov esi, 62"],
  ["837b4002", "cmp dword ptr [rbx+64], 2"],
  ["7502", "jne letgo"],
  ["ffc6", "inc esi"],
  // The waiting parent lets go of everything but the report descriptor (mode 2: of that too), so that the output ends with the command.
  ["31d2", "letgo: xor edx, edx"],
  ["0f05", "syscall"],
  // Reap whatever ends, adopted orphans too, until the child of this entry has ended.
  ["b83d000000", "wait: mov eax, 61"],
  ["48c7c7ffffffff", "mov rdi, -1"],
  ["488d7310", "lea rsi, [rbx+16]"],
  ["31d2", "xor edx, edx"],
  ["4531d2", "xor r10d, r10d"],
  ["0f05", "syscall"],
  ["4883f8fc", "cmp rax, -4"],
  ["74e3", "je wait"],
  ["4885c0", "test rax, rax"],
  ["784c", "js ended"],
  ["4439e0", "cmp eax, r12d"],
  ["75d9", "jne wait"],
  ["448b6b10", "mov r13d, [rbx+16]"],
  ["837b4002", "cmp dword ptr [rbx+64], 2"],
  ["743d", "je ended"],
  // It has ended: reap what ended before it, and say whether anything is left (ECHILD: nothing).
  ["c7434006000000", "mov dword ptr [rbx+64], 6"],
  ["b83d000000", "left: mov eax, 61"],
  ["48c7c7ffffffff", "mov rdi, -1"],
  ["488d7318", "lea rsi, [rbx+24]"],
  ["ba01000000", "mov edx, 1"],
  ["4531d2", "xor r10d, r10d"],
  ["0f05", "syscall"],
  ["4885c0", "test rax, rax"],
  ["7fe1", "jg left"],
  ["4883f8f6", "cmp rax, -10"],
  ["7507", "jne tell"],
  ["c7434801000000", "mov dword ptr [rbx+72], 1"],
  ["e821000000", "tell: call report"],
  ["4531e4", "xor r12d, r12d"],
  ["eb92", "jmp wait"],
  // Exit as the child did: its code, or 128 + the signal that ended it.
  ["4489ef", "ended: mov edi, r13d"],
  ["c1ef08", "shr edi, 8"],
  ["4183e57f", "and r13d, 0x7f"],
  ["0f8453ffffff", "jz exit"],
  ["418dbd80000000", "lea edi, [r13+128]"],
  ["e947ffffff", "jmp exit"],
  // write(REPORT_FD, entry, 88)
  ["b801000000", "report: mov eax, 1"],
  ["bf3f000000", "mov edi, 63"],
  ["4889de", "mov rsi, rbx"],
  ["ba58000000", "mov edx, 88"],
  ["0f05", "syscall"],
  ["c3", "ret"],
];

/** The x86-64 interpreter. */
export const INTERPRETER_X64: Interpreter = {
  listing: LISTING,
  /** EM_X86_64 (linux/elf-em.h) */
  machine: 62,
};
