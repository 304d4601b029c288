// The few runtime metrics that we look for in a Prometheus text page (client_golang's names). What
// is absent stays absent.

export interface RuntimeMetrics {
  /**
   * Longest of the last 256 collection pauses, those of start and warm-up included, microseconds:
   * Go's runtime keeps no more.
   */
  gcPauseMaxUs?: number;
  gcCycles?: number;
  heapBytes?: number;
  /** Bytes allocated since start. */
  allocatedBytes?: number;
}

export function parsePrometheus(text: string): RuntimeMetrics {
  const values = new Map<string, number>();
  for (const line of text.split("\n")) {
    const match = /^([A-Za-z_:][\w:]*(?:\{[^}]*\})?)\s+(\S+)/.exec(line);
    const value = Number(match?.[2]);
    if (match?.[1] !== undefined && Number.isFinite(value)) values.set(match[1], value);
  }
  const pause = values.get('go_gc_duration_seconds{quantile="1"}');
  return {
    gcPauseMaxUs: pause === undefined ? undefined : pause * 1e6,
    gcCycles: values.get("go_gc_duration_seconds_count"),
    heapBytes:
      values.get("go_memory_classes_heap_objects_bytes") ??
      values.get("go_memstats_heap_alloc_bytes"),
    allocatedBytes:
      values.get("go_gc_heap_allocs_bytes_total") ?? values.get("go_memstats_alloc_bytes_total"),
  };
}
