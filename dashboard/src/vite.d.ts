/**
 * Modules that Vite makes of files: icons as lists of elements.
 *
 * @module
 */
declare module "*.svg?icon" {
  const shapes: ReadonlyArray<readonly [string, Readonly<Record<string, string>>]>
  export default shapes
}
