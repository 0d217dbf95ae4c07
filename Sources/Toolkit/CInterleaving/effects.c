// Interposes functions that resume or cancel a task, which other tasks notice, or that notice another task's end.
//
// These are Swift functions, whose arguments C can't pass on. So each is a few instructions of assembler that call the
// original with all arguments in place, and then `interleaving_note_effect`, and return what the original returned.

#if defined(__linux__)

#define _GNU_SOURCE
#include "CInterleaving.h"

#include <dlfcn.h>

#if defined(__x86_64__)

#define FORWARD(index, name) \
    __asm__(".text\n" \
            ".globl \"" name "\"\n" \
            ".type \"" name "\",@function\n" \
            "\"" name "\":\n" \
            ".cfi_startproc\n" \
            "pushq %rbp\n" \
            ".cfi_def_cfa_offset 16\n .cfi_offset %rbp, -16\n" \
            "movq %rsp, %rbp\n" \
            ".cfi_def_cfa_register %rbp\n" \
            "callq *interleaving_original_effects+8*" #index "(%rip)\n" \
            "pushq %rax\n pushq %rdx\n" \
            "callq interleaving_note_effect@PLT\n" \
            "popq %rdx\n popq %rax\n" \
            "popq %rbp\n" \
            ".cfi_def_cfa %rsp, 8\n" \
            "retq\n" \
            ".cfi_endproc\n" \
            ".size \"" name "\", . - \"" name "\"\n");

#elif defined(__aarch64__)

// Untested.
#define FORWARD(index, name) \
    __asm__(".text\n" \
            ".globl \"" name "\"\n" \
            ".type \"" name "\",%function\n" \
            "\"" name "\":\n" \
            "stp x29, x30, [sp, #-32]!\n" \
            "mov x29, sp\n" \
            "adrp x16, interleaving_original_effects\n" \
            "add x16, x16, :lo12:interleaving_original_effects\n" \
            "ldr x16, [x16, #8*" #index "]\n" \
            "blr x16\n" \
            "stp x0, x1, [sp, #16]\n" \
            "bl interleaving_note_effect\n" \
            "ldp x0, x1, [sp, #16]\n" \
            "ldp x29, x30, [sp], #32\n" \
            "ret\n" \
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
    DO(9, "$sScg7isEmptySbvg") \
    /* AsyncStream.Continuation.yield(_:), yield(with:), yield() and finish(); the same of AsyncThrowingStream */ \
    DO(10, "$sScS12ContinuationV5yieldyAB11YieldResultOyx__GxnF") \
    DO(11, "$sScS12ContinuationV5yield4withAB11YieldResultOyx__Gs0E0Oyxs5NeverOG_tF") \
    DO(12, "$sScS12ContinuationV5yieldAB11YieldResultOyyt__GyytRszlF") \
    DO(13, "$sScS12ContinuationV6finishyyF") \
    DO(14, "$sScs12ContinuationV5yieldyAB11YieldResultOyxq___GxnF") \
    DO(15, "$sScs12ContinuationV5yield4withAB11YieldResultOyxs5Error_p__Gs0E0OyxsAG_pG_tsAG_pRs_rlF") \
    DO(16, "$sScs12ContinuationV5yieldAB11YieldResultOyytq___GyytRszrlF") \
    DO(17, "$sScs12ContinuationV6finish8throwingyq_Sgn_tF")

__attribute__((used, visibility("hidden"))) void *interleaving_original_effects[18];

EACH_EFFECT(FORWARD)

#define LOOK_UP(index, name) interleaving_original_effects[index] = dlsym(RTLD_NEXT, name);

__attribute__((constructor)) static void look_up(void) { EACH_EFFECT(LOOK_UP) }

#endif
