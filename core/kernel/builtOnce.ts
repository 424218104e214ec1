/**
 * Builds a layer once, however many layers provide it.
 *
 * @module
 */
import { Layer } from "effect"

/**
 * The same layer, built once per build of a service. Without this, each layer that provides it builds its dependencies again,
 * down to the services that are shared.
 */
export const builtOnce = <A, E, R>(layer: Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
  Layer.fromBuildMemo((memoMap, scope) => Layer.buildWithMemoMap(layer, memoMap, scope))
