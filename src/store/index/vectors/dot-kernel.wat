;; Dot products of one query with many quantised vectors.
;;
;; A row is `stride` signed bytes, a multiple of 32, padded with zeros. The query has as many signed 16-bit numbers.
;; Results are signed 32-bit sums: exact as long as stride * 127 * 2047 stays below 2^31, that is to stride 8,192.
(module
  (import "env" "memory" (memory 1))

  ;; Four rows against the query, one sum a lane. The query is read once for them, and rows that lie apart are on
  ;; their way from memory at the same time.
  (func $dot4 (param $query i32) (param $a i32) (param $b i32) (param $c i32) (param $d i32) (param $stride i32)
    (result v128)
    (local $end i32) (local $part v128) (local $low v128) (local $high v128)
    (local $sum_a v128) (local $sum_b v128) (local $sum_c v128) (local $sum_d v128)
    (local.set $end (i32.add (local.get $a) (local.get $stride)))
    (loop $next
      (local.set $part (v128.load (local.get $query)))
      (local.set $sum_a (i32x4.add (local.get $sum_a)
        (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $a)) (local.get $part))))
      (local.set $sum_b (i32x4.add (local.get $sum_b)
        (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $b)) (local.get $part))))
      (local.set $sum_c (i32x4.add (local.get $sum_c)
        (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $c)) (local.get $part))))
      (local.set $sum_d (i32x4.add (local.get $sum_d)
        (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $d)) (local.get $part))))
      (local.set $part (v128.load offset=16 (local.get $query)))
      (local.set $sum_a (i32x4.add (local.get $sum_a)
        (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $a)) (local.get $part))))
      (local.set $sum_b (i32x4.add (local.get $sum_b)
        (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $b)) (local.get $part))))
      (local.set $sum_c (i32x4.add (local.get $sum_c)
        (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $c)) (local.get $part))))
      (local.set $sum_d (i32x4.add (local.get $sum_d)
        (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $d)) (local.get $part))))
      (local.set $query (i32.add (local.get $query) (i32.const 32)))
      (local.set $a (i32.add (local.get $a) (i32.const 16)))
      (local.set $b (i32.add (local.get $b) (i32.const 16)))
      (local.set $c (i32.add (local.get $c) (i32.const 16)))
      (local.set $d (i32.add (local.get $d) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $a) (local.get $end))))
    ;; Lanes 0 and 2, then 1 and 3 of a and b, and of c and d; then all four side by side.
    (local.set $low (call $fold (local.get $sum_a) (local.get $sum_b)))
    (local.set $high (call $fold (local.get $sum_c) (local.get $sum_d)))
    (i32x4.add
      (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $low) (local.get $high))
      (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $low) (local.get $high))))

  ;; [a0 + a2, b0 + b2, a1 + a3, b1 + b3]
  (func $fold (param $a v128) (param $b v128) (result v128)
    (i32x4.add
      (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $a) (local.get $b))
      (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $a) (local.get $b))))

  ;; One row against the query.
  (func $dot (param $query i32) (param $row i32) (param $stride i32) (result i32)
    (i32x4.extract_lane 0
      (call $dot4 (local.get $query) (local.get $row) (local.get $row) (local.get $row) (local.get $row)
        (local.get $stride))))

  ;; The rows whose numbers (u32, counted from address `base`) lie at `numbers`; i32 sums to `out`.
  (func (export "gather") (param $query i32) (param $base i32) (param $stride i32) (param $numbers i32)
    (param $count i32) (param $out i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $out) (i32.shl (i32.and (local.get $count) (i32.const -4)) (i32.const 2))))
    (block $fours_done
      (loop $next
        (br_if $fours_done (i32.ge_u (local.get $out) (local.get $end)))
        (v128.store (local.get $out)
          (call $dot4
            (local.get $query)
            (i32.add (local.get $base) (i32.mul (i32.load (local.get $numbers)) (local.get $stride)))
            (i32.add (local.get $base) (i32.mul (i32.load offset=4 (local.get $numbers)) (local.get $stride)))
            (i32.add (local.get $base) (i32.mul (i32.load offset=8 (local.get $numbers)) (local.get $stride)))
            (i32.add (local.get $base) (i32.mul (i32.load offset=12 (local.get $numbers)) (local.get $stride)))
            (local.get $stride)))
        (local.set $numbers (i32.add (local.get $numbers) (i32.const 16)))
        (local.set $out (i32.add (local.get $out) (i32.const 16)))
        (br $next)))
    (local.set $end (i32.add (local.get $out) (i32.shl (i32.and (local.get $count) (i32.const 3)) (i32.const 2))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $out) (local.get $end)))
        (i32.store (local.get $out)
          (call $dot
            (local.get $query)
            (i32.add (local.get $base) (i32.mul (i32.load (local.get $numbers)) (local.get $stride)))
            (local.get $stride)))
        (local.set $numbers (i32.add (local.get $numbers) (i32.const 4)))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (br $next))))

  ;; `length` numbers (f32, a multiple of 8) times `factor`, rounded, as signed bytes to `row`; they must fit.
  (func (export "quantise") (param $vector i32) (param $length i32) (param $factor f64) (param $row i32)
    (local $end i32) (local $factors v128)
    (local.set $factors (f64x2.splat (local.get $factor)))
    (local.set $end (i32.add (local.get $row) (local.get $length)))
    (loop $next
      (v128.store64_lane 0 (local.get $row)
        (i8x16.narrow_i16x8_s
          (i16x8.narrow_i32x4_s
            (call $whole (v128.load (local.get $vector)) (local.get $factors))
            (call $whole (v128.load offset=16 (local.get $vector)) (local.get $factors)))
          (v128.const i32x4 0 0 0 0)))
      (local.set $vector (i32.add (local.get $vector) (i32.const 32)))
      (local.set $row (i32.add (local.get $row) (i32.const 8)))
      (br_if $next (i32.lt_u (local.get $row) (local.get $end)))))

  ;; Four numbers (f32) times the factors, rounded (i32).
  (func $whole (param $numbers v128) (param $factors v128) (result v128)
    (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23
      (call $round (f64x2.mul (f64x2.promote_low_f32x4 (local.get $numbers)) (local.get $factors)))
      (call $round
        (f64x2.mul
          (f64x2.promote_low_f32x4
            (i8x16.shuffle 8 9 10 11 12 13 14 15 0 0 0 0 0 0 0 0 (local.get $numbers) (local.get $numbers)))
          (local.get $factors)))))

  ;; As Math.round does: halves go up.
  (func $round (param $values v128) (result v128)
    (local $above v128)
    (local.set $above (f64x2.ceil (local.get $values)))
    (i32x4.trunc_sat_f64x2_s_zero
      (f64x2.sub (local.get $above)
        (v128.and
          (f64x2.gt (f64x2.sub (local.get $above) (v128.const f64x2 0.5 0.5)) (local.get $values))
          (v128.const f64x2 1 1)))))
)
