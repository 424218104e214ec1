/**
 * Reads the imports between files of the repository, including type imports and dynamic ones.
 *
 * @module
 */
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { parseSync } from "oxc-parser"
import { type SyntaxNode, walk } from "../support/sources.ts"

/** The imports of each node, by path from the root. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>

const root = join(import.meta.dirname, "../..")

/** The TypeScript files of a folder, as paths from the root. */
export const filesOf = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).flatMap((path) =>
    path.endsWith(".ts") && !path.includes("node_modules/") ? [`${folder}/${path}`] : []
  )

const isLiteral = (node: unknown): node is SyntaxNode & { readonly value: string } =>
  typeof node === "object" && node !== null && "value" in node && typeof node.value === "string"

/** The specifiers that a source imports in any form. */
export const specifiersOf = (path: string, source: string): ReadonlyArray<string> => {
  const { errors, program } = parseSync(path, source)
  if (errors.length > 0) throw new Error(`${path} does not parse: ${errors[0]!.message}`)
  return Array.from(walk(program as unknown as SyntaxNode)).flatMap(([node]) =>
    /^(Import|Export\w+)Declaration$|^(ImportExpression|TSImportType)$/.test(node.type) &&
    isLiteral(node["source"])
      ? [node["source"].value]
      : []
  )
}

/** The imports between files in the given folders; packages are left out. */
export const importsOf = (folders: ReadonlyArray<string>): Graph =>
  new Map(
    folders.flatMap(filesOf).map((path) => {
      const relative = specifiersOf(path, readFileSync(join(root, path), "utf8")).filter((one) =>
        one.startsWith(".")
      )
      return [path, new Set(relative.map((one) => join(dirname(path), one)))]
    })
  )

/** The imports between groups of files. Imports within a group, and those of files without a group, are left out. */
export const groupedBy = (graph: Graph, groupOf: (path: string) => string | null): Graph => {
  const groups = new Map<string, Set<string>>()
  for (const [from, tos] of graph) {
    const group = groupOf(from)
    if (group === null) continue
    const others = groups.get(group) ?? new Set()
    groups.set(group, others)
    for (const to of tos) {
      const other = groupOf(to)
      if (other !== null && other !== group) others.add(other)
    }
  }
  return groups
}

/** A cycle of imports, with its first node repeated at the end; null if there is none. */
export const circleOf = (graph: Graph): ReadonlyArray<string> | null => {
  const done = new Set<string>()
  const path: Array<string> = []
  const search = (node: string): ReadonlyArray<string> | null => {
    const start = path.indexOf(node)
    if (start !== -1) return [...path.slice(start), node]
    if (done.has(node)) return null
    path.push(node)
    for (const next of graph.get(node) ?? []) {
      const circle = search(next)
      if (circle !== null) return circle
    }
    path.pop()
    done.add(node)
    return null
  }
  for (const node of graph.keys()) {
    const circle = search(node)
    if (circle !== null) return circle
  }
  return null
}
