/**
 * Validates an import before its rows are read: the file's header, the mapping and the consent.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { AccountStore } from "../../ports/AccountStore.ts"
import { ContactFieldStore } from "../../ports/ContactFieldStore.ts"
import { CsvReader } from "../../ports/CsvReader.ts"
import { TopicStore } from "../../ports/TopicStore.ts"
import { type Issue, issue, Problem, type Unavailable } from "../../shared/Problem.ts"
import type { ContactField } from "../../model/ContactField.ts"
import { type Delimiter, type FilePosition, maxColumns, maxRowBytes } from "../../model/ContactImport.ts"
import { fieldKeyError } from "../fields/FieldRules.ts"
import { type Columns, consentIssues, ownMapping, parseColumns } from "./ImportMapping.ts"
import type { ImportConsent, ImportMapping } from "../../model/ContactImport.ts"
import { detectDelimiter, headerOf } from "./ImportRows.ts"
import type { Topic } from "../../model/Topic.ts"

/** The parts of an import request that are validated. */
export interface RequestedFormat {
  readonly mapping: ImportMapping | null
  readonly consent: ImportConsent | null
  readonly delimiter: Delimiter | null
}

/** The parsed head of a file. */
export interface FileHead {
  readonly delimiter: Delimiter
  readonly header: ReadonlyArray<string>
  readonly mapping: ImportMapping
  /** The position of the first row after the header. */
  readonly position: FilePosition
}

/** Validates imports. */
export class ImportChecks extends Context.Service<
  ImportChecks,
  {
    /**
     * Parses the head of a file and validates the request against it. audience.import_header_invalid; the issues of
     * {@link parseColumns} and {@link consentIssues}; those of attributes and topics that cannot be written:
     * audience.attribute_unknown where the account does not create fields, attribute_archived, attribute_reserved,
     * attribute_key_invalid; topics.not_found, topics.archived.
     *
     * @param isWhole whether `head` is the whole file
     */
    readonly checkHead: (
      accountId: string,
      request: RequestedFormat,
      head: Uint8Array,
      isWhole: boolean
    ) => Effect.Effect<FileHead, Problem | Unavailable>
  }
>()("svc/audience/ImportChecks") {
  static readonly layer = Layer.effect(
    ImportChecks,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const fields = yield* ContactFieldStore
      const topics = yield* TopicStore
      const csv = yield* CsvReader
      const decoder = new TextDecoder("utf-8", { fatal: false })

      return ImportChecks.of({
        checkHead: Effect.fn("ImportChecks.checkHead")(function* (accountId, request, head, isWhole) {
          const delimiter = request.delimiter ?? detectDelimiter(decoder.decode(head))
          const reading = yield* csv.open({ delimiter, from: { offset: 0, line: 1 }, maxRowBytes })
          const { rows } = yield* reading.push(head)
          const [first] = rows.length === 0 && isWhole ? (yield* reading.end).rows : rows
          const header = first === undefined ? null : headerOf(first.cells)
          if (first === undefined || header === null || header.length > maxColumns) {
            return yield* Problem.of("audience.import_header_invalid")
          }

          const mapping = request.mapping ?? ownMapping(header)
          const columns = yield* Effect.fromResult(parseColumns(mapping, header))
          const [account] = yield* accounts.find([accountId])
          const problem = Problem.from([
            ...(request.consent === null ? [] : consentIssues(request.consent, columns)),
            ...attributeIssues(columns, {
              header,
              fields: yield* fields.list(accountId),
              autoCreate: account?.settings.autoCreateAttributes ?? false
            }),
            ...topicIssues(columns, header, yield* topics.list(accountId))
          ])
          if (problem !== undefined) return yield* problem
          return { delimiter, header, mapping, position: first.next }
        })
      })
    })
  )
}

/** What decides whether a column can be imported as an attribute. */
interface AttributeRules {
  readonly header: ReadonlyArray<string>
  readonly fields: ReadonlyArray<ContactField>
  /** Whether the account creates fields for unknown keys. */
  readonly autoCreate: boolean
}

const attributeIssues = (
  columns: Columns,
  { autoCreate, fields, header }: AttributeRules
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
    return code === undefined ? [] : [issue(code, `mapping.${header[index]}`)]
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
    return [issue(topic === undefined ? "topics.not_found" : "topics.archived", `mapping.${header[index]}`)]
  })
