/**
 * Generates the tables of the typed clients' methods in the documentation.
 *
 * @module
 */
import { type Schema, SchemaAST } from "effect"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import { FlowTriggerApi } from "../../adapters/http/schema/FlowTriggerApi.ts"
import { ManagementApi } from "../../adapters/http/schema/ManagementApi.ts"
import { PublicApi } from "../../adapters/http/schema/PublicApi.ts"

const methodsHead = "| Method | Calls |\n| --- | --- |\n"

/** Whether the typed client has a method for an endpoint, which must exchange JSON in an envelope. */
const isCallable = ({ payload, success }: HttpApiEndpoint.Top): boolean =>
  [...payload.values()].every(({ encoding }) => encoding._tag !== "Text") &&
  [...success].every((schema) => fieldNames(schema).includes("value"))

const fieldNames = (schema: Schema.Top | undefined): ReadonlyArray<string> => {
  if (schema === undefined) return []
  const type = SchemaAST.toType(schema.ast)
  return type._tag === "Objects" ? type.propertySignatures.map(({ name }) => String(name)) : []
}

/** The methods of a client, such as `svc.contacts.write(body)`, and the route that each one calls. */
const methodsOf = (client: string, groups: object): string => {
  const rows = Object.entries(groups).flatMap(([name, group]) =>
    Object.entries((group as { readonly endpoints: Readonly<Record<string, HttpApiEndpoint.Top>> }).endpoints)
      .filter(([, endpoint]) => isCallable(endpoint))
      .map(([endpointName, endpoint]) => {
        const args = [
          ...[...endpoint.path.matchAll(/:(\w+)/g)].map((parameter) => parameter[1]),
          ...(endpoint.payload.size === 0 ? [] : ["body"]),
          ...(fieldNames(endpoint.query).length === 0 ? [] : ["query"])
        ]
        const path = endpoint.path.replaceAll(/:(\w+)/g, "{$1}")
        return [`\`${client}.${name}.${endpointName}(${args.join(", ")})\``, `\`${endpoint.method} ${path}\``]
      })
  )
  return `${methodsHead}${rows.map((row) => `| ${row.join(" | ")} |\n`).join("")}`
}

/** The page with the tables. */
export const methodsPage = "docs/embedding.md"

/** The page with its tables of methods replaced by current ones. */
export const withMethods = (page: string): string => {
  const tables = [
    methodsOf("svc", { ...PublicApi.groups, ...FlowTriggerApi.groups }),
    methodsOf("svc.management", ManagementApi.groups)
  ]
  return page.replaceAll(/^\| Method \| Calls \|\n(?:\|.*\n)+/gm, (found) => tables.shift() ?? found)
}
