// The model compares text by its bytes only. Without Unicode's tables, which these functions read, a module is 24 kB smaller.

#include <stdint.h>

const uint8_t *_swift_stdlib_nfd_decompositions = 0;
uint16_t _swift_stdlib_getNormData(uint32_t scalar) { return 0; }
uint32_t _swift_stdlib_getDecompositionEntry(uint32_t scalar) { return 0; }
uint32_t _swift_stdlib_getComposition(uint32_t first, uint32_t second) { return UINT32_MAX; }
uint8_t _swift_stdlib_getGraphemeBreakProperty(uint32_t scalar) { return 0; }
uint8_t _swift_stdlib_isExtendedPictographic(uint32_t scalar) { return 0; }
uint8_t _swift_stdlib_isInCB_Consonant(uint32_t scalar) { return 0; }
