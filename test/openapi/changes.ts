/**
 * Compares two versions of the published contract and returns what breaks its callers. A request may only accept more, and a
 * response may only be described more precisely.
 *
 * @module
 */
import {
  type MediaType,
  methods,
  type OpenApiDocument,
  type Operation,
  type Parameter,
  type PathItem
} from "../../adapters/http/schema/openapi/OpenApiModel.ts"
import { schemaChanges } from "./schemaChanges.ts"

type Content = Readonly<Record<string, MediaType>>

/** Parts that are only for people. */
const spoken = new Set(["description", "summary", "example", "default", "links", "tags", "info", "servers"])

const strip = (value: unknown, isNamed: boolean): unknown => {
  if (Array.isArray(value)) return value.map((entry) => strip(entry, false))
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value)
    .filter(([key]) => isNamed || !spoken.has(key))
    .map(([key, entry]): [string, unknown] => [key, strip(entry, !isNamed && naming.has(key))])
  return Object.fromEntries(entries)
}

/** Parts whose keys are names of the interface. */
const naming = new Set(["properties", "paths", "schemas", "headers", "responses", "content", "x-webhooks"])

/** A document without descriptions, in the form in which the baseline stores it. */
export const skeletonOf = (document: OpenApiDocument): OpenApiDocument =>
  strip(document, false) as OpenApiDocument

interface Pair {
  readonly before: OpenApiDocument
  readonly after: OpenApiDocument
}

const missing = (
  where: string,
  before: ReadonlyArray<string>,
  after: ReadonlyArray<string>
): ReadonlyArray<string> =>
  before.filter((name) => !after.includes(name)).map((name) => `${where}: ${name} was removed`)

/** The changes of the parts that both versions have, by name. */
const each = <A>(
  before: Readonly<Record<string, A>>,
  after: Readonly<Record<string, A>>,
  compare: (name: string, before: A, after: A) => ReadonlyArray<string>
): ReadonlyArray<string> =>
  Object.entries(before).flatMap(([name, one]) => {
    const other = after[name]
    return other === undefined ? [] : compare(name, one, other)
  })

const contentChanges = (
  where: string,
  direction: "request" | "response",
  before: Content,
  after: Content,
  { after: newer, before: older }: Pair
): ReadonlyArray<string> => [
  ...missing(where, Object.keys(before), Object.keys(after)),
  ...each(before, after, (mediaType, one, other) =>
    schemaChanges({
      where: `${where} ${mediaType}`,
      direction,
      before: one.schema,
      after: other.schema,
      older: older.components.schemas,
      newer: newer.components.schemas
    })
  )
]

const parameterChanges = (
  where: string,
  before: ReadonlyArray<Parameter>,
  after: ReadonlyArray<Parameter>,
  { after: newer, before: older }: Pair
): ReadonlyArray<string> => {
  const byName = (all: ReadonlyArray<Parameter>): Readonly<Record<string, Parameter>> =>
    Object.fromEntries(all.map((one) => [`${one.in} parameter ${one.name}`, one]))
  const [known, now] = [byName(before), byName(after)]
  return [
    ...missing(where, Object.keys(known), Object.keys(now)),
    ...Object.entries(now)
      .filter(([name, { required }]) => required && known[name]?.required !== true)
      .map(([name]) => `${where}: ${name} became required`),
    ...each(known, now, (name, one, other) =>
      schemaChanges({
        where: `${where} ${name}`,
        direction: "request",
        before: one.schema,
        after: other.schema,
        older: older.components.schemas,
        newer: newer.components.schemas
      })
    )
  ]
}

const bodyChanges = (
  where: string,
  before: Operation,
  after: Operation,
  pair: Pair
): ReadonlyArray<string> => {
  const [one, other] = [before.requestBody, after.requestBody]
  if (one === undefined) return other?.required === true ? [`${where}: a body became required`] : []
  if (other === undefined) return [`${where}: the body was removed`]
  return [
    ...(other.required && !one.required ? [`${where}: a body became required`] : []),
    ...contentChanges(`${where} body`, "request", one.content, other.content, pair)
  ]
}

const operationChanges = (
  where: string,
  before: Operation,
  after: Operation,
  pair: Pair,
  /** For a webhook, the service sends the request. */
  isWebhook: boolean
): ReadonlyArray<string> => {
  const same = (name: string, one: unknown, other: unknown) =>
    JSON.stringify(one) === JSON.stringify(other) ? [] : [`${where}: the ${name} changed`]
  if (isWebhook) {
    const [one, other] = [before.requestBody?.content ?? {}, after.requestBody?.content ?? {}]
    return contentChanges(`${where} body`, "response", one, other, pair)
  }
  return [
    ...same("operationId", before.operationId, after.operationId),
    ...same("security", before.security, after.security),
    ...same("permission", before["x-permission"], after["x-permission"]),
    ...missing(`${where} code`, before["x-error-codes"] ?? [], after["x-error-codes"] ?? []),
    ...missing(
      `${where} code of entries`,
      before["x-entry-error-codes"] ?? [],
      after["x-entry-error-codes"] ?? []
    ),
    ...parameterChanges(where, before.parameters ?? [], after.parameters ?? [], pair),
    ...bodyChanges(where, before, after, pair),
    ...missing(`${where} status`, Object.keys(before.responses), Object.keys(after.responses)),
    ...each(before.responses, after.responses, (status, one, other) => [
      ...missing(
        `${where} ${status} header`,
        Object.keys(one.headers ?? {}),
        Object.keys(other.headers ?? {})
      ),
      ...contentChanges(`${where} ${status}`, "response", one.content ?? {}, other.content ?? {}, pair)
    ])
  ]
}

const itemChanges = (
  path: string,
  before: PathItem,
  after: PathItem,
  pair: Pair,
  isWebhook: boolean
): ReadonlyArray<string> =>
  methods.flatMap((method) => {
    const [one, other] = [before[method], after[method]]
    if (one === undefined) return []
    const where = `${method.toUpperCase()} ${path}`
    return other === undefined
      ? [`${where} was removed`]
      : operationChanges(where, one, other, pair, isWebhook)
  })

/** Every breaking change, each as a line that identifies it. */
export const breakingChanges = (before: OpenApiDocument, after: OpenApiDocument): ReadonlyArray<string> => {
  const pair = { before, after }
  return [
    ...missing("path", Object.keys(before.paths), Object.keys(after.paths)),
    ...each(before.paths, after.paths, (path, one, other) => itemChanges(path, one, other, pair, false)),
    ...missing("webhook", Object.keys(before["x-webhooks"]), Object.keys(after["x-webhooks"])),
    ...each(before["x-webhooks"], after["x-webhooks"], (name, one, other) =>
      itemChanges(`webhook ${name}`, one, other, pair, true)
    )
  ]
}
