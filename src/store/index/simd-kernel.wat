;; Dot products of one query with many quantised vectors.
;;
;; A row is `stride` signed bytes, a multiple of 32, padded with zeros. The query has as many signed 16-bit numbers.
;; Results are signed 32-bit sums: exact as long as stride * 127 * 2047 stays below 2^31, that is to stride 8,192.
(module
  (import "env" "memory" (memory 1))

  ;; One row against the query: two accumulators hide the latency of the multiply-add.
  (func $dot (param $query i32) (param $row i32) (param $stride i32) (result i32)
    (local $end i32) (local $even v128) (local $odd v128)
    (local.set $end (i32.add (local.get $row) (local.get $stride)))
    (loop $next
      (local.set $even (i32x4.add (local.get $even)
        (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $row)) (v128.load (local.get $query)))))
      (local.set $odd (i32x4.add (local.get $odd)
        (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $row)) (v128.load offset=16 (local.get $query)))))
      (local.set $even (i32x4.add (local.get $even)
        (i32x4.dot_i16x8_s (v128.load8x8_s offset=16 (local.get $row)) (v128.load offset=32 (local.get $query)))))
      (local.set $odd (i32x4.add (local.get $odd)
        (i32x4.dot_i16x8_s (v128.load8x8_s offset=24 (local.get $row)) (v128.load offset=48 (local.get $query)))))
      (local.set $row (i32.add (local.get $row) (i32.const 32)))
      (local.set $query (i32.add (local.get $query) (i32.const 64)))
      (br_if $next (i32.lt_u (local.get $row) (local.get $end))))
    (local.set $even (i32x4.add (local.get $even) (local.get $odd)))
    (i32.add
      (i32.add (i32x4.extract_lane 0 (local.get $even)) (i32x4.extract_lane 1 (local.get $even)))
      (i32.add (i32x4.extract_lane 2 (local.get $even)) (i32x4.extract_lane 3 (local.get $even)))))

  ;; `count` consecutive rows from address `rows`; i32 sums to `out`.
  (func (export "scan") (param $query i32) (param $rows i32) (param $stride i32) (param $count i32) (param $out i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $out) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $out) (local.get $end)))
        (i32.store (local.get $out) (call $dot (local.get $query) (local.get $rows) (local.get $stride)))
        (local.set $rows (i32.add (local.get $rows) (local.get $stride)))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (br $next))))

  ;; The rows whose numbers (u32, counted from address `base`) lie at `numbers`; i32 sums to `out`.
  (func (export "gather") (param $query i32) (param $base i32) (param $stride i32) (param $numbers i32)
    (param $count i32) (param $out i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $out) (i32.shl (local.get $count) (i32.const 2))))
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
)
