/**
 * Generates the parts of pages that follow from the code, such as the catalogue of errors, the endpoints and the permissions.
 * A source includes a part with the line `<!-- generated: name -->`.
 *
 * @module
 */
import { Context, Option } from "effect"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as OpenApi from "effect/http-api/OpenApi"
import { reasons, verdicts } from "../../../../core/explain/Reasons.ts"
import { warningCodes } from "../../../../core/kernel/Warnings.ts"
import { permissions } from "../../../../core/model/Permission.ts"
import { catalogue } from "../../../../core/shared/Problem.ts"
import { EndpointGuard, type Guard } from "../../schema/Envelope.ts"
import { FlowTriggerApi } from "../../schema/FlowTriggerApi.ts"
import { ManagementApi } from "../../schema/ManagementApi.ts"
import { inWords } from "../../schema/openapi/ManagementOpenApi.ts"
import { PublicApi } from "../../schema/PublicApi.ts"

const marker = /^<!-- generated: ([a-z-]+) -->$/gm

/** A cell of a table. A vertical bar would end the cell, so it is escaped. */
const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ")

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows.map((row) => row.map(cell))]
    .map((row) => `| ${row.join(" | ")} |`)
    .join("\n")

/** Error codes by area, each with its status and message. */
const errors = (): string => {
  const entries = Object.entries(catalogue).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const areas = Object.groupBy(entries, ([code]) => code.slice(0, code.indexOf(".")))
  return Object.entries(areas)
    .map(([area, codes = []]) => {
      const rows = codes.map(([code, { message, status }]) => [`\`${code}\``, String(status), message])
      return `### ${area}\n\n${table(["Code", "Status", "Meaning"], rows)}`
    })
    .join("\n\n")
}

/** Codes of warnings. */
const warnings = (): string => {
  const rows = Object.entries(warningCodes).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return table(
    ["Code", "Meaning"],
    rows.map(([code, meaning]) => [`\`${code}\``, meaning])
  )
}

/** The reasons in explanations, by verdict. `{name}` stands for a value that depends on the case. */
const explanations = (): string => {
  const rows = verdicts.flatMap((verdict) =>
    Object.entries(reasons)
      .filter(([, reason]) => reason.verdict === verdict)
      .map(([code, { next, sentence }]) => [`\`${verdict}\``, `\`${code}\``, sentence, next ?? ""])
  )
  return table(["Verdict", "Code", "Sentence", "What to do"], rows)
}

interface RouteFacts {
  readonly group: string
  readonly method: string
  /** A path with parameters such as `{name}`. */
  readonly path: string
  readonly guard: Guard
  readonly summary: string
}

type Groups = Readonly<Record<string, object>>

const routesOf = (groups: Groups): ReadonlyArray<RouteFacts> =>
  Object.entries(groups).flatMap(([name, group]) => {
    const { annotations, endpoints } = group as {
      readonly annotations: Context.Context<never>
      readonly endpoints: Readonly<Record<string, HttpApiEndpoint.Top>>
    }
    const title = Option.getOrElse(Context.getOption(annotations, OpenApi.Title), () => inWords(name))
    return Object.entries(endpoints).map(([endpointName, endpoint]) => {
      const of = endpoint.annotations as Context.Context<never>
      return {
        group: title,
        method: endpoint.method,
        path: endpoint.path.replaceAll(/:(\w+)/g, "{$1}"),
        guard: Context.getUnsafe(of, EndpointGuard as never) as Guard,
        summary: Option.getOrElse(Context.getOption(of, OpenApi.Summary), () => inWords(endpointName))
      }
    })
  })

const byGroup = (
  routes: ReadonlyArray<RouteFacts>,
  head: string,
  of: (route: RouteFacts) => string
): string =>
  Object.entries(Object.groupBy(routes, ({ group }) => group))
    .map(([group, members = []]) => {
      const rows = members.map((route) => [route.method, `\`${route.path}\``, of(route)])
      return `### ${group}\n\n${table(["Method", "Path", head], rows)}`
    })
    .join("\n\n")

const publicRoutes = (): string =>
  byGroup(
    routesOf({ ...PublicApi.groups, ...FlowTriggerApi.groups }),
    "What it does",
    ({ guard, summary }) => {
      if (guard._tag === "FlowToken") return `${summary} (the flow's token)`
      return guard._tag === "Key" ? `${summary} (\`${guard.permission}\`)` : summary
    }
  )

const managementRoutes = (): string =>
  byGroup(routesOf(ManagementApi.groups), "What it does", ({ summary }) => summary)

/** Every permission with its endpoints. */
const permissionTable = (): string => {
  const routes = routesOf(PublicApi.groups)
  const rows = permissions.map((permission) => [
    `\`${permission}\``,
    routes
      .filter(({ guard }) => guard._tag === "Key" && guard.permission === permission)
      .map(({ method, path }) => `\`${method} ${path}\``)
      .join(", ")
  ])
  return table(["Permission", "Opens"], rows)
}

const parts: Readonly<Record<string, () => string>> = {
  errors,
  "public-routes": publicRoutes,
  "management-routes": managementRoutes,
  permissions: permissionTable,
  warnings,
  explanations
}

/** Inserts the generated parts into a source. `more` has the parts that follow from the site itself. */
export const fillIn = (markdown: string, more: Readonly<Record<string, () => string>> = {}): string =>
  markdown.replaceAll(marker, (whole, name: string) => (more[name] ?? parts[name])?.() ?? whole)
