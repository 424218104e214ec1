/**
 * Parses a submitted mapping: validates it against the file's header and returns the target of each column.
 *
 * @module
 */
import { Result } from "effect"
import {
  importFields,
  type ImportField,
  proofFields,
  type ProofField,
  type ImportMapping,
  type ImportConsent
} from "../../model/ContactImport.ts"
import { type Issue, Issues, type Problem, valueDetail } from "../../shared/Problem.ts"
import { isReport } from "./ImportReport.ts"
import { parseContactWrite } from "../contacts/ContactWrite.ts"

/** The target of a column. */
export type ColumnTarget =
  | { readonly _tag: "Field"; readonly field: ImportField }
  | { readonly _tag: "Attribute"; readonly key: string }
  | { readonly _tag: "Topic"; readonly key: string }
  | { readonly _tag: "Basis" }
  | { readonly _tag: "Proof"; readonly field: ProofField }
  | { readonly _tag: "Ignored" }

const targetOf = (name: string): ColumnTarget | null => {
  if (name === "ignored") return { _tag: "Ignored" }
  if (name === "consent.basis") return { _tag: "Basis" }
  const field = importFields.find((one) => one === name)
  if (field !== undefined) return { _tag: "Field", field }
  const proof = proofFields.find((one) => `consent.proof.${one}` === name)
  if (proof !== undefined) return { _tag: "Proof", field: proof }
  const [, area, key] = /^(attributes|topics)\.(\S+)$/.exec(name) ?? []
  if (area === undefined || key === undefined) return null
  return area === "attributes" ? { _tag: "Attribute", key } : { _tag: "Topic", key }
}

/** The targets of a file's columns, in order. A column that the mapping does not name is ignored. */
export type Columns = ReadonlyArray<ColumnTarget>

/** The mapping of a file whose column names are themselves the targets. */
export const ownMapping = (header: ReadonlyArray<string>): ImportMapping => {
  const isOfReport = isReport(header, null)
  const targets = header.map((name, index) => [name, isOfReport && index < 2 ? "ignored" : name] as const)
  return Object.fromEntries(targets.filter(([name]) => name !== ""))
}

/**
 * Parses a mapping into the columns of a file. Issues: an unknown target (audience.import_mapping_invalid), a column that the
 * file does not have (import_column_unknown) or has twice (import_column_duplicate), two columns with one target
 * (import_target_duplicate), no column that identifies a contact (import_identity_required). The field of an issue is
 * `mapping.<header>`.
 */
export const parseColumns = (
  mapping: ImportMapping,
  header: ReadonlyArray<string>
): Result.Result<Columns, Problem> => {
  const issues = new Issues()
  const columns = header.map((): ColumnTarget => ({ _tag: "Ignored" }))
  const used = new Set<string>()
  for (const [column, name] of Object.entries(mapping)) {
    const field = `mapping.${column}`
    const target = targetOf(name)
    const index = header.indexOf(column)
    if (target === null) issues.add("audience.import_mapping_invalid", field)
    else if (index === -1) issues.add("audience.import_column_unknown", field, null, valueDetail(column))
    else if (target._tag !== "Ignored") {
      if (header.includes(column, index + 1))
        issues.add("audience.import_column_duplicate", field, null, valueDetail(column))
      if (used.has(name)) issues.add("audience.import_target_duplicate", field, null, valueDetail(name))
      used.add(name)
      columns[index] = target
    }
  }
  if (!["email", "externalId", "id"].some((name) => used.has(name)) && issues.list.length === 0) {
    issues.add("audience.import_identity_required", "mapping")
  }
  return issues.result(columns)
}

/**
 * The issues of consent given for all rows, which are those of a contact write. If a column contains the text of the proof, each
 * row is checked for it instead.
 */
export const consentIssues = (
  consent: ImportConsent,
  columns: Columns,
  now: number
): ReadonlyArray<Issue> => {
  const parsed = parseContactWrite({ consent }, now)
  if (Result.isSuccess(parsed)) return []
  const hasText = columns.some((column) => column._tag === "Proof" && column.field === "text")
  return parsed.failure.issues.filter(({ code }) => !(hasText && code === "audience.consent_proof_required"))
}
