/**
 * Validates an import before its rows are read: the file's header, the mapping and the consent.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { AccountStore } from "../../ports/AccountStore.ts"
import { ContactFieldStore } from "../../ports/ContactFieldStore.ts"
import { CsvReader } from "../../ports/CsvReader.ts"
import { TopicStore } from "../../ports/TopicStore.ts"
import { type Issue, issue, Problem } from "../../shared/Problem.ts"
import type { ContactField } from "../../model/ContactField.ts"
import {
  type ContactImport,
  type Delimiter,
  type ImportConsent,
  type ImportMapping,
  maxColumns,
  maxRowBytes
} from "../../model/ContactImport.ts"
import { fieldKeyError } from "../fields/FieldRules.ts"
import { type Columns, consentIssues, ownMapping, parseColumns } from "./ImportMapping.ts"
import { detectDelimiter, headerOf } from "./ImportRows.ts"
import type { Topic } from "../../model/Topic.ts"

/** A request to import a file. */
export interface ImportRequest {
  /** The name of the import; null for none. */
  readonly name: string | null
  /** The target of each column, by its name in the header; null if the names are the targets. */
  readonly mapping: ImportMapping | null
  /** The consent for all rows. Columns can also give it row by row. */
  readonly consent: ImportConsent | null
  /** The delimiter; null to detect it. */
  readonly delimiter: Delimiter | null
  /** Whether the rows are only tried, and not written. */
  readonly dryRun: boolean
}

/** The parsed head of a file; `position` is that of the first row after the header. */
export type FileHead = Pick<ContactImport, "delimiter" | "header" | "mapping" | "position">

/**
 * Makes a function that parses the head of a file and validates the request against it; `isWhole` says whether `head` is the
 * whole file. audience.import_header_invalid; the issues of {@link parseColumns} and {@link consentIssues}; and the issues of
 * attributes and topics that cannot be written: audience.attribute_unknown if the account does not create fields,
 * attribute_archived, attribute_reserved, attribute_key_invalid; topics.not_found, topics.archived.
 */
export const makeHeadCheck = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const fields = yield* ContactFieldStore
  const topics = yield* TopicStore
  const csv = yield* CsvReader
  const decoder = new TextDecoder("utf-8", { fatal: false })

  return Effect.fn("ImportChecks.checkHead")(function* (
    accountId: string,
    request: ImportRequest,
    head: Uint8Array,
    isWhole: boolean
  ) {
    const delimiter = request.delimiter ?? detectDelimiter(decoder.decode(head))
    const reading = yield* csv.open({ delimiter, from: { offset: 0, line: 1 }, maxRowBytes })
    const { rows } = yield* reading.push(head)
    const [first] = rows.length === 0 && isWhole ? (yield* reading.end).rows : rows
    const header = first === undefined ? null : headerOf(first.cells, request.mapping)
    if (first === undefined || header === null || header.length > maxColumns) {
      return yield* Problem.of("audience.import_header_invalid")
    }

    const mapping = request.mapping ?? ownMapping(header)
    const columns = yield* Effect.fromResult(parseColumns(mapping, header))
    const [account] = yield* accounts.find([accountId])
    const now = yield* Clock.currentTimeMillis
    const problem = Problem.from([
      ...(request.consent === null ? [] : consentIssues(request.consent, columns, now)),
      ...attributeIssues(
        columns,
        header,
        yield* fields.list(accountId),
        account?.settings.autoCreateAttributes ?? false
      ),
      ...topicIssues(columns, header, yield* topics.list(accountId))
    ])
    if (problem !== undefined) return yield* problem
    return { delimiter, header, mapping, position: first.next } satisfies FileHead
  })
})

/** The issues of attributes. `autoCreate`: whether the account creates fields for unknown keys. */
const attributeIssues = (
  columns: Columns,
  header: ReadonlyArray<string>,
  fields: ReadonlyArray<ContactField>,
  autoCreate: boolean
): ReadonlyArray<Issue> =>
  columns.flatMap((column, index) => {
    if (column._tag !== "Attribute") return []
    const field = fields.find(({ key }) => key === column.key)
    const code =
      field === undefined
        ? autoCreate
          ? fieldKeyError(column.key)
          : "audience.attribute_unknown"
        : field.archivedAt === null
          ? undefined
          : "audience.attribute_archived"
    return code === undefined ? [] : [issue(code, `mapping.${header[index]}`, null, { key: column.key })]
  })

const topicIssues = (
  columns: Columns,
  header: ReadonlyArray<string>,
  topics: ReadonlyArray<Topic>
): ReadonlyArray<Issue> =>
  columns.flatMap((column, index) => {
    if (column._tag !== "Topic") return []
    const topic = topics.find(({ key }) => key === column.key)
    if (topic !== undefined && !topic.isArchived) return []
    const code = topic === undefined ? "topics.not_found" : "topics.archived"
    return [issue(code, `mapping.${header[index]}`, null, { key: column.key })]
  })
