/**
 * Which column of a file means what: the mapping an operator sends, checked against the file's header.
 *
 * @module
 */
import {
  importFields,
  type ImportField,
  proofFields,
  type ProofField,
  type ImportMapping,
  type ImportConsent
} from "../../model/ContactImport.ts"
import { issue, type Issue, Problem } from "../../shared/Problem.ts"
import { checkContactWrite } from "../contacts/ContactWrite.ts"

/** What a column means. */
export type ColumnTarget =
  | { readonly _tag: "Field"; readonly field: ImportField }
  | { readonly _tag: "Attribute"; readonly key: string }
  | { readonly _tag: "Topic"; readonly key: string }
  | { readonly _tag: "Basis" }
  | { readonly _tag: "Proof"; readonly field: ProofField }
  | { readonly _tag: "Ignored" }

const targetOf = (text: string): ColumnTarget | null => {
  if (text === "ignored") return { _tag: "Ignored" }
  if (text === "consent.basis") return { _tag: "Basis" }
  const field = importFields.find((name) => name === text)
  if (field !== undefined) return { _tag: "Field", field }
  const proof = proofFields.find((name) => `consent.proof.${name}` === text)
  if (proof !== undefined) return { _tag: "Proof", field: proof }
  const [, area, key] = /^(attributes|topics)\.(\S+)$/.exec(text) ?? []
  if (area === undefined || key === undefined) return null
  return area === "attributes" ? { _tag: "Attribute", key } : { _tag: "Topic", key }
}

/** A file's columns in order, each with its meaning; one the mapping does not name is ignored. */
export type Columns = ReadonlyArray<ColumnTarget>

/** The mapping of a file whose headers are names of fields themselves. */
export const ownMapping = (header: ReadonlyArray<string>): ImportMapping =>
  Object.fromEntries(header.filter((name) => name !== "").map((name) => [name, name]))

/**
 * The columns of a file by a mapping. Refused: a target that is none (audience.import_mapping_invalid), a column the
 * file does not have (import_column_unknown) or has twice (import_column_duplicate), two columns of one target
 * (import_target_duplicate), none that identifies a contact (import_identity_required). Fields are
 * `mapping.<header>`.
 */
export const columnsOf = (mapping: ImportMapping, header: ReadonlyArray<string>): Columns | Problem => {
  const issues: Array<Issue> = []
  const columns = header.map((): ColumnTarget => ({ _tag: "Ignored" }))
  const taken = new Set<string>()
  for (const [name, text] of Object.entries(mapping)) {
    const field = `mapping.${name}`
    const target = targetOf(text)
    const place = header.indexOf(name)
    if (target === null) issues.push(issue("audience.import_mapping_invalid", field))
    else if (place === -1) issues.push(issue("audience.import_column_unknown", field))
    else if (target._tag !== "Ignored") {
      if (header.includes(name, place + 1)) issues.push(issue("audience.import_column_duplicate", field))
      if (taken.has(text)) issues.push(issue("audience.import_target_duplicate", field))
      taken.add(text)
      columns[place] = target
    }
  }
  if (!["email", "externalId", "id"].some((name) => taken.has(name)) && issues.length === 0) {
    issues.push(issue("audience.import_identity_required", "mapping"))
  }
  return Problem.from(issues) ?? columns
}

/**
 * The issues of consent given for all rows, as a contact write has them. A proof that columns complete is checked with
 * each row.
 */
export const checkImportConsent = (consent: ImportConsent, columns: Columns): ReadonlyArray<Issue> => {
  const checked = checkContactWrite({ consent })
  if (!(checked instanceof Problem)) return []
  const completed = columns.some((column) => column._tag === "Proof" && column.field === "text")
  return checked.issues.filter(({ code }) => !(completed && code === "audience.consent_proof_required"))
}
