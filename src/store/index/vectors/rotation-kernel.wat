;; Rotates vectors by changes of sign and fast Hadamard transforms.
;;
;; Every addition is one of those that the plain loop makes, between the same two numbers: results are the same bit for
;; bit, which codes that are kept depend on.
(module
  (import "env" "memory" (memory 1))

  ;; The vector at `vector` (f32) times its signs (f64) as `length` numbers (f64, a multiple of 4) at `numbers`, of which
  ;; the first and the last `span` (a power of two, 4 or more) are transformed and multiplied by `scale`, once if they are
  ;; the same ones.
  (func (export "turn") (param $vector i32) (param $signs i32) (param $numbers i32) (param $length i32) (param $span i32)
    (param $scale f64)
    (local $end i32) (local $last i32)
    (local.set $end (i32.add (local.get $numbers) (i32.shl (local.get $length) (i32.const 3))))
    (local.set $last (i32.sub (local.get $end) (i32.shl (local.get $span) (i32.const 3))))
    (call $change (local.get $vector) (local.get $signs) (local.get $numbers) (local.get $end))
    (call $transform (local.get $numbers) (local.get $span) (local.get $scale))
    (if (i32.ne (local.get $last) (local.get $numbers))
      (then (call $transform (local.get $last) (local.get $span) (local.get $scale)))))

  ;; Multiplies each number of the vector by its sign.
  (func $change (param $vector i32) (param $sign i32) (param $number i32) (param $end i32)
    (loop $next
      (v128.store (local.get $number)
        (f64x2.mul (f64x2.promote_low_f32x4 (v128.load64_zero (local.get $vector))) (v128.load (local.get $sign))))
      (local.set $vector (i32.add (local.get $vector) (i32.const 8)))
      (local.set $sign (i32.add (local.get $sign) (i32.const 16)))
      (local.set $number (i32.add (local.get $number) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $number) (local.get $end)))))

  ;; Transforms `span` numbers in place, two steps at a time.
  (func $transform (param $start i32) (param $span i32) (param $scale f64)
    (local $end i32) (local $quarter i32)
    (local.set $end (i32.add (local.get $start) (i32.shl (local.get $span) (i32.const 3))))
    (call $fours (local.get $start) (local.get $end))
    ;; In bytes.
    (local.set $quarter (i32.const 32))
    (block $done
      (loop $next
        (br_if $done (i32.gt_u (i32.shr_u (local.get $quarter) (i32.const 1)) (local.get $span)))
        (call $quarters (local.get $start) (local.get $end) (local.get $quarter))
        (local.set $quarter (i32.shl (local.get $quarter) (i32.const 2)))
        (br $next)))
    (if (i32.lt_u (local.get $quarter) (i32.shl (local.get $span) (i32.const 3)))
      (then (call $halves (local.get $start) (local.get $quarter))))
    (call $multiply (local.get $start) (local.get $end) (local.get $scale)))

  ;; The first two steps: four numbers that lie side by side become [a + c, b + d, a - c, b - d], where [a, c] are the
  ;; sums of the first and the last two and [b, d] their differences.
  (func $fours (param $at i32) (param $end i32)
    (local $low v128) (local $high v128) (local $even v128) (local $odd v128)
    (loop $next
      (local.set $low (v128.load (local.get $at)))
      (local.set $high (v128.load offset=16 (local.get $at)))
      (local.set $even (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $low) (local.get $high)))
      (local.set $odd (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $low) (local.get $high)))
      (local.set $low (f64x2.add (local.get $even) (local.get $odd)))
      (local.set $high (f64x2.sub (local.get $even) (local.get $odd)))
      (local.set $even (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $low) (local.get $high)))
      (local.set $odd (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $low) (local.get $high)))
      (v128.store (local.get $at) (f64x2.add (local.get $even) (local.get $odd)))
      (v128.store offset=16 (local.get $at) (f64x2.sub (local.get $even) (local.get $odd)))
      (local.set $at (i32.add (local.get $at) (i32.const 32)))
      (br_if $next (i32.lt_u (local.get $at) (local.get $end)))))

  ;; Two steps between numbers that lie `quarter` bytes apart.
  (func $quarters (param $from i32) (param $end i32) (param $quarter i32)
    (local $until i32) (local $p i32) (local $q i32) (local $r i32) (local $s i32)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (loop $next_four
      (local.set $p (local.get $from))
      (local.set $q (i32.add (local.get $p) (local.get $quarter)))
      (local.set $r (i32.add (local.get $q) (local.get $quarter)))
      (local.set $s (i32.add (local.get $r) (local.get $quarter)))
      (local.set $until (local.get $q))
      (loop $next
        (local.set $a (f64x2.add (v128.load (local.get $p)) (v128.load (local.get $q))))
        (local.set $b (f64x2.sub (v128.load (local.get $p)) (v128.load (local.get $q))))
        (local.set $c (f64x2.add (v128.load (local.get $r)) (v128.load (local.get $s))))
        (local.set $d (f64x2.sub (v128.load (local.get $r)) (v128.load (local.get $s))))
        (v128.store (local.get $p) (f64x2.add (local.get $a) (local.get $c)))
        (v128.store (local.get $q) (f64x2.add (local.get $b) (local.get $d)))
        (v128.store (local.get $r) (f64x2.sub (local.get $a) (local.get $c)))
        (v128.store (local.get $s) (f64x2.sub (local.get $b) (local.get $d)))
        (local.set $p (i32.add (local.get $p) (i32.const 16)))
        (local.set $q (i32.add (local.get $q) (i32.const 16)))
        (local.set $r (i32.add (local.get $r) (i32.const 16)))
        (local.set $s (i32.add (local.get $s) (i32.const 16)))
        (br_if $next (i32.lt_u (local.get $p) (local.get $until))))
      (local.set $from (local.get $s))
      (br_if $next_four (i32.lt_u (local.get $from) (local.get $end)))))

  ;; The last step of an odd number of them, between numbers that lie `half` bytes apart.
  (func $halves (param $p i32) (param $half i32)
    (local $q i32) (local $until i32) (local $a v128) (local $b v128)
    (local.set $q (i32.add (local.get $p) (local.get $half)))
    (local.set $until (local.get $q))
    (loop $next
      (local.set $a (v128.load (local.get $p)))
      (local.set $b (v128.load (local.get $q)))
      (v128.store (local.get $p) (f64x2.add (local.get $a) (local.get $b)))
      (v128.store (local.get $q) (f64x2.sub (local.get $a) (local.get $b)))
      (local.set $p (i32.add (local.get $p) (i32.const 16)))
      (local.set $q (i32.add (local.get $q) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $p) (local.get $until)))))

  (func $multiply (param $at i32) (param $end i32) (param $by f64)
    (local $factors v128)
    (local.set $factors (f64x2.splat (local.get $by)))
    (loop $next
      (v128.store (local.get $at) (f64x2.mul (v128.load (local.get $at)) (local.get $factors)))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $at) (local.get $end)))))
)
