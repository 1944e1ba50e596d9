declare module '*.css'

/** Parts of the library that have no types of their own. */
declare module 'graphology-layout-forceatlas2/defaults' {
  const defaults: Required<import('graphology-layout-forceatlas2').ForceAtlas2Settings>
  export default defaults
}
declare module 'graphology-layout-forceatlas2/iterate' {
  export default function iterate(
    settings: import('graphology-layout-forceatlas2').ForceAtlas2Settings,
    nodes: Float32Array,
    edges: Float32Array,
  ): void
}
declare module 'graphology-layout-forceatlas2/helpers' {
  export function graphToByteArrays(
    graph: import('graphology').default,
    weightOf: () => number,
  ): { nodes: Float32Array; edges: Float32Array }
}
