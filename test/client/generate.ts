/**
 * Writes the generated files of `client/`, the dashboard's file of routes, and the tables of methods in the documentation.
 *
 * @module
 */
import { readFile, writeFile } from "node:fs/promises"
import { methodsPage, withMethods } from "./ClientMethods.ts"
import { clients, generateClient, generateRoutes, routesFile } from "./Generator.ts"

for (const [file, target] of Object.entries(clients)) {
  await writeFile(new URL(`../../client/${file}`, import.meta.url), generateClient(target))
}
await writeFile(new URL(`../../${routesFile}`, import.meta.url), generateRoutes())
const page = new URL(`../../${methodsPage}`, import.meta.url)
await writeFile(page, withMethods(await readFile(page, "utf8")))
