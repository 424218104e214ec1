/**
 * The project's own sources as syntax trees.
 *
 * @module
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseSync } from "oxc-parser"

/** A node of a syntax tree: its kind, its position, and its children by name. */
export interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [child: string]: unknown
}

/** A source file. */
export interface Source {
  /** Relative to the project's root. */
  readonly path: string
  readonly text: string
  readonly program: SyntaxNode
}

const root = join(import.meta.dirname, "../..")

/** The sources of the service, without tests and configuration. */
export const serviceSources = (): ReadonlyArray<Source> =>
  ["core", "adapters", "runtimes"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .map((path) => {
        const text = readFileSync(join(root, folder, path), "utf8")
        const { errors, program } = parseSync(path, text)
        if (errors.length > 0) throw new Error(`${folder}/${path} does not parse: ${errors[0]!.message}`)
        return { path: `${folder}/${path}`, text, program: program as unknown as SyntaxNode }
      })
  )

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"

/** A node and its descendants in source order, each with its ancestors, the nearest last. */
export function* walk(
  node: SyntaxNode,
  above: ReadonlyArray<SyntaxNode> = []
): Generator<readonly [node: SyntaxNode, above: ReadonlyArray<SyntaxNode>]> {
  yield [node, above]
  const within = [...above, node]
  for (const child of Object.values(node)) {
    for (const one of Array.isArray(child) ? child : [child]) if (isNode(one)) yield* walk(one, within)
  }
}

/** The file and line of a node. */
export const placeOf = (source: Source, node: SyntaxNode): string =>
  `${source.path}:${source.text.slice(0, node.start).split("\n").length}`
