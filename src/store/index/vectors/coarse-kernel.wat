;; Dot products of one query with many vectors of very few bits, by table.
;;
;; Each group of dimensions of a row is one nibble. Rows lie in blocks of 32: the 16 bytes of a group hold the nibbles
;; of rows 0 to 15 below those of rows 16 to 31. The query is a table of 16 bytes a group: what each of the 16 nibbles
;; adds to a sum. Four entries must fit a byte, all entries of a row 16 bits. The number of groups is a multiple of 4.
(module
  (import "env" "memory" (memory 1))

  ;; The code of `groups` pairs of numbers (f64), as nibbles `shift` bits to the left, a byte in 16, over what is at
  ;; `codes`. Of the two bits of a number the upper one tells that it is not negative, and the lower one, if so, that
  ;; its size is above `outer_from`, otherwise that it is not. Returns the sum of sizes times `inner` or `outer`.
  (func (export "encode") (param $numbers i32) (param $codes i32) (param $groups i32) (param $shift i32)
    (param $inner f64) (param $outer f64) (param $outer_from f64) (result f64)
    (local $end i32) (local $other i32) (local $product f64)
    (local $value v128) (local $size v128) (local $far v128) (local $negative v128) (local $bits v128)
    (local $inners v128) (local $outers v128) (local $from v128)
    (local.set $inners (f64x2.splat (local.get $inner)))
    (local.set $outers (f64x2.splat (local.get $outer)))
    (local.set $from (f64x2.splat (local.get $outer_from)))
    (local.set $other (i32.shr_u (i32.const 0xf0) (local.get $shift)))
    (local.set $end (i32.add (local.get $numbers) (i32.shl (local.get $groups) (i32.const 4))))
    (loop $next
      (local.set $value (v128.load (local.get $numbers)))
      (local.set $size (f64x2.abs (local.get $value)))
      (local.set $far (f64x2.gt (local.get $size) (local.get $from)))
      (local.set $negative (f64x2.lt (local.get $value) (v128.const f64x2 0 0)))
      (local.set $size
        (f64x2.mul (local.get $size) (v128.bitselect (local.get $outers) (local.get $inners) (local.get $far))))
      (local.set $product (f64.add (local.get $product)
        (f64.add (f64x2.extract_lane 0 (local.get $size)) (f64x2.extract_lane 1 (local.get $size)))))
      (local.set $bits
        (v128.or
          (v128.and (v128.xor (local.get $negative) (local.get $far)) (v128.const i64x2 1 4))
          (v128.andnot (v128.const i64x2 2 8) (local.get $negative))))
      (i32.store8 (local.get $codes)
        (i32.or
          (i32.and (i32.load8_u (local.get $codes)) (local.get $other))
          (i32.shl
            (i32.or (i32x4.extract_lane 0 (local.get $bits)) (i32x4.extract_lane 2 (local.get $bits)))
            (local.get $shift))))
      (local.set $numbers (i32.add (local.get $numbers) (i32.const 16)))
      (local.set $codes (i32.add (local.get $codes) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $numbers) (local.get $end))))
    (local.get $product))

  ;; `blocks` blocks of codes; u16 sums to `out`, in the order of the rows.
  (func (export "scan") (param $table i32) (param $codes i32) (param $groups i32) (param $blocks i32) (param $out i32)
    (local $entries i32) (local $end i32)
    (local $code v128) (local $entry v128) (local $nibble v128) (local $low v128) (local $high v128)
    (local $sum_a v128) (local $sum_b v128) (local $sum_c v128) (local $sum_d v128)
    (local.set $nibble (i8x16.splat (i32.const 15)))
    (local.set $end (i32.add (local.get $table) (i32.shl (local.get $groups) (i32.const 4))))
    (block $done
      (loop $next_block
        (br_if $done (i32.eqz (local.get $blocks)))
        (local.set $entries (local.get $table))
        (local.set $sum_a (v128.const i32x4 0 0 0 0))
        (local.set $sum_b (v128.const i32x4 0 0 0 0))
        (local.set $sum_c (v128.const i32x4 0 0 0 0))
        (local.set $sum_d (v128.const i32x4 0 0 0 0))
        (loop $next_groups
          (local.set $code (v128.load (local.get $codes)))
          (local.set $entry (v128.load (local.get $entries)))
          (local.set $low (i8x16.swizzle (local.get $entry) (v128.and (local.get $code) (local.get $nibble))))
          (local.set $high (i8x16.swizzle (local.get $entry) (v128.and (i16x8.shr_u (local.get $code) (i32.const 4)) (local.get $nibble))))
          (local.set $code (v128.load offset=16 (local.get $codes)))
          (local.set $entry (v128.load offset=16 (local.get $entries)))
          (local.set $low (i8x16.add (local.get $low)
            (i8x16.swizzle (local.get $entry) (v128.and (local.get $code) (local.get $nibble)))))
          (local.set $high (i8x16.add (local.get $high)
            (i8x16.swizzle (local.get $entry) (v128.and (i16x8.shr_u (local.get $code) (i32.const 4)) (local.get $nibble)))))
          (local.set $code (v128.load offset=32 (local.get $codes)))
          (local.set $entry (v128.load offset=32 (local.get $entries)))
          (local.set $low (i8x16.add (local.get $low)
            (i8x16.swizzle (local.get $entry) (v128.and (local.get $code) (local.get $nibble)))))
          (local.set $high (i8x16.add (local.get $high)
            (i8x16.swizzle (local.get $entry) (v128.and (i16x8.shr_u (local.get $code) (i32.const 4)) (local.get $nibble)))))
          (local.set $code (v128.load offset=48 (local.get $codes)))
          (local.set $entry (v128.load offset=48 (local.get $entries)))
          (local.set $low (i8x16.add (local.get $low)
            (i8x16.swizzle (local.get $entry) (v128.and (local.get $code) (local.get $nibble)))))
          (local.set $high (i8x16.add (local.get $high)
            (i8x16.swizzle (local.get $entry) (v128.and (i16x8.shr_u (local.get $code) (i32.const 4)) (local.get $nibble)))))
          (local.set $sum_a (i16x8.add (local.get $sum_a) (i16x8.extend_low_i8x16_u (local.get $low))))
          (local.set $sum_b (i16x8.add (local.get $sum_b) (i16x8.extend_high_i8x16_u (local.get $low))))
          (local.set $sum_c (i16x8.add (local.get $sum_c) (i16x8.extend_low_i8x16_u (local.get $high))))
          (local.set $sum_d (i16x8.add (local.get $sum_d) (i16x8.extend_high_i8x16_u (local.get $high))))
          (local.set $codes (i32.add (local.get $codes) (i32.const 64)))
          (local.set $entries (i32.add (local.get $entries) (i32.const 64)))
          (br_if $next_groups (i32.lt_u (local.get $entries) (local.get $end))))
        (v128.store (local.get $out) (local.get $sum_a))
        (v128.store offset=16 (local.get $out) (local.get $sum_b))
        (v128.store offset=32 (local.get $out) (local.get $sum_c))
        (v128.store offset=48 (local.get $out) (local.get $sum_d))
        (local.set $out (i32.add (local.get $out) (i32.const 64)))
        (local.set $blocks (i32.sub (local.get $blocks) (i32.const 1)))
        (br $next_block))))

  ;; Which of `count` sums (a multiple of 4) plus `offset`, times their factors (f32), reach `bar`: their places
  ;; (u32) to `out`. Returns how many.
  (func (export "sift") (param $sums i32) (param $factors i32) (param $count i32) (param $offset f32) (param $bar f32)
    (param $out i32) (result i32)
    (local $at i32) (local $found i32) (local $lane i32) (local $offsets v128) (local $bars v128)
    (local.set $offsets (f32x4.splat (local.get $offset)))
    (local.set $bars (f32x4.splat (local.get $bar)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $at) (local.get $count)))
        ;; A bit a lane; the lowest one goes first.
        (local.set $lane
          (i32x4.bitmask
            (f32x4.ge
              (f32x4.mul
                (f32x4.add (f32x4.convert_i32x4_u (v128.load16x4_u (local.get $sums))) (local.get $offsets))
                (v128.load (local.get $factors)))
              (local.get $bars))))
        (block $none
          (loop $lanes
            (br_if $none (i32.eqz (local.get $lane)))
            (i32.store (i32.add (local.get $out) (i32.shl (local.get $found) (i32.const 2)))
              (i32.add (local.get $at) (i32.ctz (local.get $lane))))
            (local.set $found (i32.add (local.get $found) (i32.const 1)))
            (local.set $lane (i32.and (local.get $lane) (i32.sub (local.get $lane) (i32.const 1))))
            (br $lanes)))
        (local.set $at (i32.add (local.get $at) (i32.const 4)))
        (local.set $sums (i32.add (local.get $sums) (i32.const 8)))
        (local.set $factors (i32.add (local.get $factors) (i32.const 16)))
        (br $next)))
    (local.get $found))
)
