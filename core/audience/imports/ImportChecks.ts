/**
 * What can be refused of a file before its rows are read: its header, the mapping, the consent.
 *
 * @module
 */
import { Effect } from "effect"
import { AccountStore } from "../../ports/AccountStore.ts"
import { ContactFieldStore } from "../../ports/ContactFieldStore.ts"
import { CsvReader } from "../../ports/CsvReader.ts"
import { TopicStore } from "../../ports/TopicStore.ts"
import { type Issue, issue, Problem } from "../../shared/Problem.ts"
import type { ContactField } from "../../model/ContactField.ts"
import { type Delimiter, type FilePosition, maxColumns, maxRowBytes } from "../../model/ContactImport.ts"
import { refuseFieldKey } from "../fields/FieldRules.ts"
import { checkImportConsent, type Columns, columnsOf, ownMapping } from "./ImportMapping.ts"
import type { ImportConsent, ImportMapping } from "../../model/ContactImport.ts"
import { detectDelimiter, headerOf } from "./ImportRows.ts"
import type { Topic } from "../../model/Topic.ts"

/** What is checked. */
export interface Asked {
  readonly mapping: ImportMapping | null
  readonly consent: ImportConsent | null
  readonly delimiter: Delimiter | null
}

/** What the head of a file tells. */
export interface Head {
  readonly delimiter: Delimiter
  readonly header: ReadonlyArray<string>
  readonly mapping: ImportMapping
  /** Where the first row after the header begins. */
  readonly position: FilePosition
}

/**
 * A function that reads the head of a file, which is `whole` when there is no more of it. Refuses
 * audience.import_header_invalid, what `columnsOf` and `checkImportConsent` refuse, attributes and topics that cannot
 * be written (audience.attribute_unknown where fields are not made, attribute_archived, attribute_reserved,
 * attribute_key_invalid; topics.not_found, topics.archived).
 */
export const makeImportChecks = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const fields = yield* ContactFieldStore
  const topics = yield* TopicStore
  const csv = yield* CsvReader
  const decoder = new TextDecoder("utf-8", { fatal: false })

  return Effect.fnUntraced(function* (accountId: string, asked: Asked, head: Uint8Array, whole: boolean) {
    const delimiter = asked.delimiter ?? detectDelimiter(decoder.decode(head))
    const reading = yield* csv.open({ delimiter, from: { offset: 0, line: 1 }, maxRowBytes })
    const { rows } = yield* reading.push(head)
    const [first] = rows.length === 0 && whole ? (yield* reading.end).rows : rows
    const header = first === undefined ? null : headerOf(first.cells)
    if (first === undefined || header === null || header.length > maxColumns) {
      return yield* Problem.of("audience.import_header_invalid")
    }

    const mapping = asked.mapping ?? ownMapping(header)
    const columns = columnsOf(mapping, header)
    if (columns instanceof Problem) return yield* columns
    const [account] = yield* accounts.find([accountId])
    const issues = [
      ...(asked.consent === null ? [] : checkImportConsent(asked.consent, columns)),
      ...refuseAttributes(
        columns,
        header,
        yield* fields.list(accountId),
        account?.settings.autoCreateAttributes ?? false
      ),
      ...refuseTopics(columns, header, yield* topics.list(accountId))
    ]
    const problem = Problem.from(issues)
    if (problem !== undefined) return yield* problem
    return { delimiter, header, mapping, position: first.next } satisfies Head
  })
})

const refuseAttributes = (
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
          ? refuseFieldKey(column.key)
          : "audience.attribute_unknown"
        : field.archivedAt === null
          ? undefined
          : "audience.attribute_archived"
    return code === undefined ? [] : [issue(code, `mapping.${header[index]}`)]
  })

const refuseTopics = (
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
