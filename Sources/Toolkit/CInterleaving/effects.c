// Interposes functions that resume or cancel a task, which other tasks notice, or that notice another task's end.
//
// These are Swift functions, whose arguments C can't pass on. So each is a few instructions of assembler that keep all
// arguments, call `interleaving_note_effect`, and jump to the original.

#if defined(__linux__)

#define _GNU_SOURCE
#include "CInterleaving.h"

#include <dlfcn.h>

#if defined(__x86_64__)

// The register of `self`, r13, is one that a called function keeps.
#define FORWARD(index, name) \
    __asm__(".text\n" \
            ".globl \"" name "\"\n" \
            ".type \"" name "\",@function\n" \
            "\"" name "\":\n" \
            "pushq %rbp\n" \
            "movq %rsp, %rbp\n" \
            "pushq %rdi\n pushq %rsi\n pushq %rdx\n pushq %rcx\n pushq %r8\n pushq %r9\n pushq %rax\n" \
            "pushq %r10\n pushq %r11\n subq $8, %rsp\n" \
            "call interleaving_note_effect@PLT\n" \
            "addq $8, %rsp\n popq %r11\n popq %r10\n" \
            "popq %rax\n popq %r9\n popq %r8\n popq %rcx\n popq %rdx\n popq %rsi\n popq %rdi\n" \
            "popq %rbp\n" \
            "jmpq *interleaving_original_effects+8*" #index "(%rip)\n" \
            ".size \"" name "\", . - \"" name "\"\n");

#elif defined(__aarch64__)

// The register of `self`, x20, is one that a called function keeps. Untested.
#define FORWARD(index, name) \
    __asm__(".text\n" \
            ".globl \"" name "\"\n" \
            ".type \"" name "\",%function\n" \
            "\"" name "\":\n" \
            "stp x29, x30, [sp, #-96]!\n" \
            "mov x29, sp\n" \
            "stp x0, x1, [sp, #16]\n stp x2, x3, [sp, #32]\n stp x4, x5, [sp, #48]\n stp x6, x7, [sp, #64]\n" \
            "stp x8, x9, [sp, #80]\n" \
            "bl interleaving_note_effect\n" \
            "ldp x8, x9, [sp, #80]\n" \
            "ldp x6, x7, [sp, #64]\n ldp x4, x5, [sp, #48]\n ldp x2, x3, [sp, #32]\n ldp x0, x1, [sp, #16]\n" \
            "ldp x29, x30, [sp], #96\n" \
            "adrp x16, interleaving_original_effects\n" \
            "add x16, x16, :lo12:interleaving_original_effects\n" \
            "ldr x16, [x16, #8*" #index "]\n" \
            "br x16\n" \
            ".size \"" name "\", . - \"" name "\"\n");

#else
#define FORWARD(index, name)
#endif

#define EACH_EFFECT(DO) \
    DO(0, "swift_continuation_resume") \
    DO(1, "swift_continuation_throwingResume") \
    DO(2, "swift_continuation_throwingResumeWithError") \
    /* CheckedContinuation.resume(returning:) and resume(throwing:) */ \
    DO(3, "$sScC6resume9returningyxn_tF") \
    DO(4, "$sScC6resume8throwingyq_n_tF") \
    /* Task.cancel(), TaskGroup.cancelAll() and ThrowingTaskGroup.cancelAll() */ \
    DO(5, "$sScT6cancelyyF") \
    DO(6, "$sScG9cancelAllyyF") \
    DO(7, "$sScg9cancelAllyyF") \
    /* TaskGroup.isEmpty and ThrowingTaskGroup.isEmpty */ \
    DO(8, "$sScG7isEmptySbvg") \
    DO(9, "$sScg7isEmptySbvg")

__attribute__((used, visibility("hidden"))) void *interleaving_original_effects[10];

EACH_EFFECT(FORWARD)

#define LOOK_UP(index, name) interleaving_original_effects[index] = dlsym(RTLD_NEXT, name);

__attribute__((constructor)) static void look_up(void) { EACH_EFFECT(LOOK_UP) }

#endif
