// What the instruction sets leave out and the compiler calls by name: division on the Cortex-M0, and arithmetic on 64-bit
// numbers in registers of 32. Run-time ABI for the Arm Architecture, 4.2 and 4.3. Written with 32-bit operations alone,
// as anything wider would call itself.
#if defined(__arm__)
#include <stdint.h>

union wide { uint64_t value; struct { uint32_t low, high; }; };

uint64_t __aeabi_llsl(uint64_t number, int count) {
  union wide n = {number};
  if (count >= 32) {
    n.high = n.low << (count - 32);
    n.low = 0;
  } else if (count > 0) {
    n.high = n.high << count | n.low >> (32 - count);
    n.low <<= count;
  }
  return n.value;
}

uint64_t __aeabi_llsr(uint64_t number, int count) {
  union wide n = {number};
  if (count >= 32) {
    n.low = n.high >> (count - 32);
    n.high = 0;
  } else if (count > 0) {
    n.low = n.low >> count | n.high << (32 - count);
    n.high >>= count;
  }
  return n.value;
}

uint64_t __aeabi_lmul(uint64_t left, uint64_t right) {
  union wide l = {left}, r = {right}, product;
  uint32_t a = l.low & 0xFFFF, b = l.low >> 16, c = r.low & 0xFFFF, d = r.low >> 16;
  uint32_t low = a * c, middle = b * c + (low >> 16), other = a * d + (middle & 0xFFFF);
  product.low = other << 16 | (low & 0xFFFF);
  product.high = b * d + (middle >> 16) + (other >> 16) + l.low * r.high + l.high * r.low;
  return product.value;
}

int __clzsi2(uint32_t number) {
  int count = 0;
  if (number == 0) return 32;
  for (; !(number & 0x80000000u); number <<= 1) count++;
  return count;
}

struct unsigned_result { uint32_t quotient, remainder; };

static struct unsigned_result divide(uint32_t numerator, uint32_t denominator) {
  uint32_t quotient = 0, remainder = 0;
  if (denominator == 0) return (struct unsigned_result){0, numerator};
  for (int bit = 31; bit >= 0; bit--) {
    remainder = remainder << 1 | (numerator >> bit & 1);
    if (remainder >= denominator) {
      remainder -= denominator;
      quotient |= 1u << bit;
    }
  }
  return (struct unsigned_result){quotient, remainder};
}

uint32_t __aeabi_uidiv(uint32_t numerator, uint32_t denominator) { return divide(numerator, denominator).quotient; }

int32_t __aeabi_idiv(int32_t numerator, int32_t denominator) {
  uint32_t n = numerator < 0 ? -(uint32_t)numerator : (uint32_t)numerator;
  uint32_t d = denominator < 0 ? -(uint32_t)denominator : (uint32_t)denominator;
  uint32_t quotient = divide(n, d).quotient;
  return (int32_t)((numerator < 0) != (denominator < 0) ? -quotient : quotient);
}

// Quotient in r0 and remainder in r1: as one 64-bit value, which is returned in the same two registers.
uint64_t __aeabi_uidivmod(uint32_t numerator, uint32_t denominator) {
  struct unsigned_result result = divide(numerator, denominator);
  return (uint64_t)result.remainder << 32 | result.quotient;
}

uint64_t __aeabi_idivmod(int32_t numerator, int32_t denominator) {
  int32_t quotient = __aeabi_idiv(numerator, denominator);
  int32_t remainder = numerator - quotient * denominator;
  return (uint64_t)(uint32_t)remainder << 32 | (uint32_t)quotient;
}

uint64_t divide_long(uint64_t numerator, uint64_t denominator, uint64_t *rest) {
  union wide n = {numerator}, d = {denominator}, quotient = {0}, remainder = {0};
  for (int bit = 63; bit >= 0 && (d.low | d.high); bit--) {
    remainder.high = remainder.high << 1 | remainder.low >> 31;
    remainder.low = remainder.low << 1 | n.high >> 31;
    n.high = n.high << 1 | n.low >> 31;
    n.low <<= 1;
    quotient.high = quotient.high << 1 | quotient.low >> 31;
    quotient.low <<= 1;
    if (remainder.high > d.high || (remainder.high == d.high && remainder.low >= d.low)) {
      uint32_t borrow = remainder.low < d.low;
      remainder.low -= d.low;
      remainder.high -= d.high + borrow;
      quotient.low |= 1;
    }
  }
  *rest = remainder.value;
  return quotient.value;
}

// Quotient in r0:r1 and remainder in r2:r3, which C cannot say.
__attribute__((naked)) void __aeabi_uldivmod(void) {
  __asm__ volatile(
      "push {r4, lr}\n"
      "sub sp, #16\n"
      "add r4, sp, #8\n"
      "str r4, [sp]\n"
      "bl divide_long\n"
      "ldr r2, [sp, #8]\n"
      "ldr r3, [sp, #12]\n"
      "add sp, #16\n"
      "pop {r4, pc}\n");
}
#endif
