/**
 * Writes the rules about imports into `.oxlintrc.json`: `npm run rooms`.
 *
 * @module
 */
import { readFileSync, writeFileSync } from "node:fs"
import { withRules } from "./importRules.ts"

const path = new URL("../../.oxlintrc.json", import.meta.url)

writeFileSync(path, withRules(readFileSync(path, "utf8")))
