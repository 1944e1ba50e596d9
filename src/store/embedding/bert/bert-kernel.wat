;; Products of a BERT encoder. `inputs` is a multiple of 16, `outputs` of 2.
(module
  (import "env" "memory" (memory 1))

  ;; Four rows of signed 16-bit numbers times all columns of signed bytes: out[row][column] =
  ;; sum * factor[row] * scale[column] + bias[column] (f32). A column is `inputs` bytes. Two columns are used
  ;; for all four rows while they are in the registers. `factors` has four f32.
  (func (export "product") (param $rows i32) (param $columns i32) (param $inputs i32) (param $outputs i32)
    (param $scales i32) (param $biases i32) (param $out i32) (param $factors i32)
    (local $row_end i32) (local $a i32) (local $b i32) (local $c i32) (local $d i32) (local $c0 i32) (local $c1 i32)
    (local $end i32) (local $wide i32) (local $line i32) (local $w v128) (local $factor_ab v128) (local $factor_cd v128)
    (local $xa v128) (local $xb v128) (local $xc v128) (local $xd v128)
    (local $a0 v128) (local $b0 v128) (local $e0 v128) (local $d0 v128)
    (local $a1 v128) (local $b1 v128) (local $e1 v128) (local $d1 v128)
    (local.set $wide (i32.shl (local.get $inputs) (i32.const 1)))
    (local.set $line (i32.shl (local.get $outputs) (i32.const 2)))
    (local.set $row_end (i32.add (local.get $rows) (local.get $wide)))
    (local.set $end (i32.add (local.get $scales) (local.get $line)))
    (local.set $w (v128.load (local.get $factors)))
    (local.set $factor_ab (i8x16.shuffle 0 1 2 3 0 1 2 3 4 5 6 7 4 5 6 7 (local.get $w) (local.get $w)))
    (local.set $factor_cd (i8x16.shuffle 8 9 10 11 8 9 10 11 12 13 14 15 12 13 14 15 (local.get $w) (local.get $w)))
    (loop $two
      (local.set $c0 (local.get $columns))
      (local.set $c1 (i32.add (local.get $c0) (local.get $inputs)))
      (local.set $columns (i32.add (local.get $c1) (local.get $inputs)))
      (local.set $a0 (v128.const i32x4 0 0 0 0))
      (local.set $b0 (v128.const i32x4 0 0 0 0))
      (local.set $e0 (v128.const i32x4 0 0 0 0))
      (local.set $d0 (v128.const i32x4 0 0 0 0))
      (local.set $a1 (v128.const i32x4 0 0 0 0))
      (local.set $b1 (v128.const i32x4 0 0 0 0))
      (local.set $e1 (v128.const i32x4 0 0 0 0))
      (local.set $d1 (v128.const i32x4 0 0 0 0))
      (local.set $a (local.get $rows))
      (local.set $b (i32.add (local.get $a) (local.get $wide)))
      (local.set $c (i32.add (local.get $b) (local.get $wide)))
      (local.set $d (i32.add (local.get $c) (local.get $wide)))
      (loop $sixteen
        (local.set $xa (v128.load (local.get $a)))
        (local.set $xb (v128.load (local.get $b)))
        (local.set $xc (v128.load (local.get $c)))
        (local.set $xd (v128.load (local.get $d)))
        (local.set $w (v128.load8x8_s (local.get $c0)))
        (local.set $a0 (i32x4.add (local.get $a0) (i32x4.dot_i16x8_s (local.get $w) (local.get $xa))))
        (local.set $b0 (i32x4.add (local.get $b0) (i32x4.dot_i16x8_s (local.get $w) (local.get $xb))))
        (local.set $e0 (i32x4.add (local.get $e0) (i32x4.dot_i16x8_s (local.get $w) (local.get $xc))))
        (local.set $d0 (i32x4.add (local.get $d0) (i32x4.dot_i16x8_s (local.get $w) (local.get $xd))))
        (local.set $w (v128.load8x8_s (local.get $c1)))
        (local.set $a1 (i32x4.add (local.get $a1) (i32x4.dot_i16x8_s (local.get $w) (local.get $xa))))
        (local.set $b1 (i32x4.add (local.get $b1) (i32x4.dot_i16x8_s (local.get $w) (local.get $xb))))
        (local.set $e1 (i32x4.add (local.get $e1) (i32x4.dot_i16x8_s (local.get $w) (local.get $xc))))
        (local.set $d1 (i32x4.add (local.get $d1) (i32x4.dot_i16x8_s (local.get $w) (local.get $xd))))
        (local.set $xa (v128.load offset=16 (local.get $a)))
        (local.set $xb (v128.load offset=16 (local.get $b)))
        (local.set $xc (v128.load offset=16 (local.get $c)))
        (local.set $xd (v128.load offset=16 (local.get $d)))
        (local.set $w (v128.load8x8_s offset=8 (local.get $c0)))
        (local.set $a0 (i32x4.add (local.get $a0) (i32x4.dot_i16x8_s (local.get $w) (local.get $xa))))
        (local.set $b0 (i32x4.add (local.get $b0) (i32x4.dot_i16x8_s (local.get $w) (local.get $xb))))
        (local.set $e0 (i32x4.add (local.get $e0) (i32x4.dot_i16x8_s (local.get $w) (local.get $xc))))
        (local.set $d0 (i32x4.add (local.get $d0) (i32x4.dot_i16x8_s (local.get $w) (local.get $xd))))
        (local.set $w (v128.load8x8_s offset=8 (local.get $c1)))
        (local.set $a1 (i32x4.add (local.get $a1) (i32x4.dot_i16x8_s (local.get $w) (local.get $xa))))
        (local.set $b1 (i32x4.add (local.get $b1) (i32x4.dot_i16x8_s (local.get $w) (local.get $xb))))
        (local.set $e1 (i32x4.add (local.get $e1) (i32x4.dot_i16x8_s (local.get $w) (local.get $xc))))
        (local.set $d1 (i32x4.add (local.get $d1) (i32x4.dot_i16x8_s (local.get $w) (local.get $xd))))
        (local.set $a (i32.add (local.get $a) (i32.const 32)))
        (local.set $b (i32.add (local.get $b) (i32.const 32)))
        (local.set $c (i32.add (local.get $c) (i32.const 32)))
        (local.set $d (i32.add (local.get $d) (i32.const 32)))
        (local.set $c0 (i32.add (local.get $c0) (i32.const 16)))
        (local.set $c1 (i32.add (local.get $c1) (i32.const 16)))
        (br_if $sixteen (i32.lt_u (local.get $a) (local.get $row_end))))
      (local.set $xa
        (call $finish (call $sums (local.get $a0) (local.get $a1) (local.get $b0) (local.get $b1))
          (local.get $factor_ab) (local.get $scales) (local.get $biases)))
      (local.set $xc
        (call $finish (call $sums (local.get $e0) (local.get $e1) (local.get $d0) (local.get $d1))
          (local.get $factor_cd) (local.get $scales) (local.get $biases)))
      (local.set $a (local.get $out))
      (v128.store64_lane 0 (local.get $a) (local.get $xa))
      (v128.store64_lane 1 (local.tee $a (i32.add (local.get $a) (local.get $line))) (local.get $xa))
      (v128.store64_lane 0 (local.tee $a (i32.add (local.get $a) (local.get $line))) (local.get $xc))
      (v128.store64_lane 1 (i32.add (local.get $a) (local.get $line)) (local.get $xc))
      (local.set $out (i32.add (local.get $out) (i32.const 8)))
      (local.set $biases (i32.add (local.get $biases) (i32.const 8)))
      (local.set $scales (i32.add (local.get $scales) (i32.const 8)))
      (br_if $two (i32.lt_u (local.get $scales) (local.get $end)))))

  ;; The sums of the four lanes of each argument, side by side.
  (func $sums (param $a v128) (param $b v128) (param $c v128) (param $d v128) (result v128)
    (local $low v128) (local $high v128)
    (local.set $low (call $fold (local.get $a) (local.get $b)))
    (local.set $high (call $fold (local.get $c) (local.get $d)))
    (i32x4.add
      (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $low) (local.get $high))
      (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $low) (local.get $high))))

  ;; [a0 + a2, b0 + b2, a1 + a3, b1 + b3]
  (func $fold (param $a v128) (param $b v128) (result v128)
    (i32x4.add
      (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $a) (local.get $b))
      (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $a) (local.get $b))))

  ;; Two columns of two rows: [row a column 0, a 1, b 0, b 1].
  (func $finish (param $sums v128) (param $factors v128) (param $scales i32) (param $biases i32) (result v128)
    (f32x4.add
      (f32x4.mul
        (f32x4.mul (f32x4.convert_i32x4_s (local.get $sums)) (local.get $factors))
        (v128.load64_splat (local.get $scales)))
      (v128.load64_splat (local.get $biases))))

  ;; Rounds `width` numbers (f32, a multiple of 8) to 16 bits so that the largest becomes 2047.
  ;; Returns the factor that undoes it.
  (func (export "round") (param $from i32) (param $width i32) (param $to i32) (result f32)
    (local $at i32) (local $end i32) (local $most v128) (local $largest f32)
    (local.set $at (local.get $from))
    (local.set $end (i32.add (local.get $from) (i32.shl (local.get $width) (i32.const 2))))
    (loop $next
      (local.set $most (f32x4.max (local.get $most) (f32x4.abs (v128.load (local.get $at)))))
      (br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $end))))
    (local.set $largest
      (f32.max
        (f32.max (f32x4.extract_lane 0 (local.get $most)) (f32x4.extract_lane 1 (local.get $most)))
        (f32.max (f32x4.extract_lane 2 (local.get $most)) (f32x4.extract_lane 3 (local.get $most)))))
    (local.set $largest (f32.max (local.get $largest) (f32.const 1e-30)))
    (local.set $most (f32x4.splat (f32.div (f32.const 2047) (local.get $largest))))
    (loop $next
      (v128.store (local.get $to)
        (i16x8.narrow_i32x4_s
          (i32x4.trunc_sat_f32x4_s (f32x4.nearest (f32x4.mul (v128.load (local.get $from)) (local.get $most))))
          (i32x4.trunc_sat_f32x4_s
            (f32x4.nearest (f32x4.mul (v128.load offset=16 (local.get $from)) (local.get $most))))))
      (local.set $to (i32.add (local.get $to) (i32.const 16)))
      (br_if $next (i32.lt_u (local.tee $from (i32.add (local.get $from) (i32.const 32))) (local.get $end))))
    (f32.div (local.get $largest) (f32.const 2047)))

  ;; Turns `count` scores (f32, a multiple of 4) into shares that sum to 1: softmax of the score times `root`.
  (func (export "share") (param $scores i32) (param $count i32) (param $root f32)
    (local $at i32) (local $end i32) (local $most v128) (local $sum v128) (local $x v128) (local $whole v128)
    (local.set $at (local.get $scores))
    (local.set $end (i32.add (local.get $scores) (i32.shl (local.get $count) (i32.const 2))))
    (local.set $most (v128.load (local.get $at)))
    (loop $next
      (local.set $most (f32x4.max (local.get $most) (v128.load (local.get $at))))
      (br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $end))))
    (local.set $most
      (f32x4.splat
        (f32.max
          (f32.max (f32x4.extract_lane 0 (local.get $most)) (f32x4.extract_lane 1 (local.get $most)))
          (f32.max (f32x4.extract_lane 2 (local.get $most)) (f32x4.extract_lane 3 (local.get $most))))))
    (local.set $at (local.get $scores))
    (loop $next
      ;; 2 to the power of x: whole powers in the exponent, the rest by a polynomial (within 2e-6).
      (local.set $x
        (f32x4.max
          (f32x4.mul
            (f32x4.mul (f32x4.sub (v128.load (local.get $at)) (local.get $most)) (f32x4.splat (local.get $root)))
            (f32x4.splat (f32.const 1.4426950408889634)))
          (f32x4.splat (f32.const -126))))
      (local.set $whole (f32x4.floor (local.get $x)))
      (local.set $x (f32x4.sub (local.get $x) (local.get $whole)))
      (local.set $x
        (f32x4.mul
          (i32x4.shl
            (i32x4.add (i32x4.trunc_sat_f32x4_s (local.get $whole)) (i32x4.splat (i32.const 127)))
            (i32.const 23))
          (call $step (local.get $x) (f32.const 1)
            (call $step (local.get $x) (f32.const 0.6931472)
              (call $step (local.get $x) (f32.const 0.2402265)
                (call $step (local.get $x) (f32.const 0.0558)
                  (call $step (local.get $x) (f32.const 0.008986)
                    (f32x4.splat (f32.const 0.001877)))))))))
      (v128.store (local.get $at) (local.get $x))
      (local.set $sum (f32x4.add (local.get $sum) (local.get $x)))
      (br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $end))))
    (local.set $sum
      (f32x4.splat
        (f32.div (f32.const 1)
          (f32.add
            (f32.add (f32x4.extract_lane 0 (local.get $sum)) (f32x4.extract_lane 1 (local.get $sum)))
            (f32.add (f32x4.extract_lane 2 (local.get $sum)) (f32x4.extract_lane 3 (local.get $sum)))))))
    (local.set $at (local.get $scores))
    (loop $next
      (v128.store (local.get $at) (f32x4.mul (v128.load (local.get $at)) (local.get $sum)))
      (br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $end)))))

  ;; constant + x * rest
  (func $step (param $x v128) (param $constant f32) (param $rest v128) (result v128)
    (f32x4.add (f32x4.splat (local.get $constant)) (f32x4.mul (local.get $x) (local.get $rest))))

  ;; One head of attention for one token: the products of its query (32 numbers, f32) with the keys of
  ;; `count` tokens, `stride` bytes apart. `count` is a multiple of 4.
  (func (export "match") (param $query i32) (param $keys i32) (param $stride i32) (param $count i32) (param $out i32)
    (local $end i32) (local $k0 i32) (local $k1 i32) (local $k2 i32) (local $k3 i32) (local $at i32)
    (local $x v128) (local $s0 v128) (local $s1 v128) (local $s2 v128) (local $s3 v128)
    (local.set $end (i32.add (local.get $out) (i32.shl (local.get $count) (i32.const 2))))
    (loop $four
      (local.set $k0 (local.get $keys))
      (local.set $k1 (i32.add (local.get $k0) (local.get $stride)))
      (local.set $k2 (i32.add (local.get $k1) (local.get $stride)))
      (local.set $k3 (i32.add (local.get $k2) (local.get $stride)))
      (local.set $keys (i32.add (local.get $k3) (local.get $stride)))
      (local.set $s0 (v128.const i32x4 0 0 0 0))
      (local.set $s1 (v128.const i32x4 0 0 0 0))
      (local.set $s2 (v128.const i32x4 0 0 0 0))
      (local.set $s3 (v128.const i32x4 0 0 0 0))
      (local.set $at (i32.const 0))
      (loop $part
        (local.set $x (v128.load (i32.add (local.get $query) (local.get $at))))
        (local.set $s0 (f32x4.add (local.get $s0)
          (f32x4.mul (local.get $x) (v128.load (i32.add (local.get $k0) (local.get $at))))))
        (local.set $s1 (f32x4.add (local.get $s1)
          (f32x4.mul (local.get $x) (v128.load (i32.add (local.get $k1) (local.get $at))))))
        (local.set $s2 (f32x4.add (local.get $s2)
          (f32x4.mul (local.get $x) (v128.load (i32.add (local.get $k2) (local.get $at))))))
        (local.set $s3 (f32x4.add (local.get $s3)
          (f32x4.mul (local.get $x) (v128.load (i32.add (local.get $k3) (local.get $at))))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br_if $part (i32.lt_u (local.get $at) (i32.const 128))))
      (v128.store (local.get $out)
        (call $totals (local.get $s0) (local.get $s1) (local.get $s2) (local.get $s3)))
      (local.set $out (i32.add (local.get $out) (i32.const 16)))
      (br_if $four (i32.lt_u (local.get $out) (local.get $end)))))

  ;; As $sums, of f32.
  (func $totals (param $a v128) (param $b v128) (param $c v128) (param $d v128) (result v128)
    (local $low v128) (local $high v128)
    (local.set $low
      (f32x4.add
        (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $a) (local.get $b))
        (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $a) (local.get $b))))
    (local.set $high
      (f32x4.add
        (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $c) (local.get $d))
        (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $c) (local.get $d))))
    (f32x4.add
      (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $low) (local.get $high))
      (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $low) (local.get $high))))

  ;; One head for one token: the values of `count` tokens (32 numbers, f32, `stride` bytes apart), each times
  ;; its share, summed to `out`.
  (func (export "gather") (param $shares i32) (param $values i32) (param $stride i32) (param $count i32) (param $out i32)
    (local $end i32) (local $share v128)
    (local $s0 v128) (local $s1 v128) (local $s2 v128) (local $s3 v128)
    (local $s4 v128) (local $s5 v128) (local $s6 v128) (local $s7 v128)
    (local.set $end (i32.add (local.get $shares) (i32.shl (local.get $count) (i32.const 2))))
    (loop $next
      (local.set $share (v128.load32_splat (local.get $shares)))
      (local.set $s0 (f32x4.add (local.get $s0) (f32x4.mul (local.get $share) (v128.load (local.get $values)))))
      (local.set $s1 (f32x4.add (local.get $s1) (f32x4.mul (local.get $share) (v128.load offset=16 (local.get $values)))))
      (local.set $s2 (f32x4.add (local.get $s2) (f32x4.mul (local.get $share) (v128.load offset=32 (local.get $values)))))
      (local.set $s3 (f32x4.add (local.get $s3) (f32x4.mul (local.get $share) (v128.load offset=48 (local.get $values)))))
      (local.set $s4 (f32x4.add (local.get $s4) (f32x4.mul (local.get $share) (v128.load offset=64 (local.get $values)))))
      (local.set $s5 (f32x4.add (local.get $s5) (f32x4.mul (local.get $share) (v128.load offset=80 (local.get $values)))))
      (local.set $s6 (f32x4.add (local.get $s6) (f32x4.mul (local.get $share) (v128.load offset=96 (local.get $values)))))
      (local.set $s7 (f32x4.add (local.get $s7) (f32x4.mul (local.get $share) (v128.load offset=112 (local.get $values)))))
      (local.set $values (i32.add (local.get $values) (local.get $stride)))
      (local.set $shares (i32.add (local.get $shares) (i32.const 4)))
      (br_if $next (i32.lt_u (local.get $shares) (local.get $end))))
    (v128.store (local.get $out) (local.get $s0))
    (v128.store offset=16 (local.get $out) (local.get $s1))
    (v128.store offset=32 (local.get $out) (local.get $s2))
    (v128.store offset=48 (local.get $out) (local.get $s3))
    (v128.store offset=64 (local.get $out) (local.get $s4))
    (v128.store offset=80 (local.get $out) (local.get $s5))
    (v128.store offset=96 (local.get $out) (local.get $s6))
    (v128.store offset=112 (local.get $out) (local.get $s7)))
)
