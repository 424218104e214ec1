/**
 * Writes the generated files of `client/`, and the dashboard's file of routes.
 *
 * @module
 */
import { writeFile } from "node:fs/promises"
import { clients, generateClient, generateRoutes, routesFile } from "./Generator.ts"

for (const [file, target] of Object.entries(clients)) {
  await writeFile(new URL(`../../client/${file}`, import.meta.url), generateClient(target))
}
await writeFile(new URL(`../../${routesFile}`, import.meta.url), generateRoutes())
