/**
 * Imports lines of an archive into an account, one batch at a time. An invalid line is rejected alone; the others are committed.
 * A batch may be repeated: the second time it changes nothing.
 *
 * Contacts, items and suppressed addresses are written in batches, with a fixed number of statements. The kinds of which an
 * account has at most about a thousand (topics, fields, segments, stores, webhooks, flows, templates) are written one by one.
 *
 * @module
 */
import { Context, Effect, Layer, Result } from "effect"
import type { Actor } from "../model/Actor.ts"
import { AuditTrail } from "../accounts/AuditTrail.ts"
import { Atomically } from "../kernel/atomically.ts"
import { type Issue, Problem, type Unavailable } from "../shared/Problem.ts"
import { type ArchiveKind, archiveKinds, type ArchiveLine, parseLine } from "./ArchiveLine.ts"
import type { Outcome } from "./ContactMerge.ts"
import { AudienceImport } from "./AudienceImport.ts"
import { SetupImport } from "./SetupImport.ts"

/** The most lines in a batch, including its header. */
export const maxArchiveBatch = 1000

/** The outcomes of the lines of a kind. */
export interface LineCounts {
  readonly added: number
  readonly changed: number
  /** Lines that are identical to the stored record. */
  readonly unchanged: number
  readonly refused: number
}

/** A rejected line. */
export interface RejectedLine {
  /** The line's number in the batch; the header is 1. */
  readonly line: number
  /** The kind; null for a line that cannot be decoded. */
  readonly kind: ArchiveKind | null
  readonly issues: ReadonlyArray<Issue>
}

/** The result of a batch. */
export interface ImportReport {
  /** By kind, for the kinds that occur in the batch. */
  readonly counts: Readonly<Partial<Record<ArchiveKind, LineCounts>>>
  readonly refused: ReadonlyArray<RejectedLine>
}

/** Imports archives into accounts. */
export class AccountImport extends Context.Service<
  AccountImport,
  {
    /**
     * Imports a batch of parsed JSON lines (undefined for invalid JSON); the first is the archive's header. Each kind is
     * committed separately, in the order of archives. archive.header_invalid, archive.batch_too_large.
     */
    readonly load: (
      accountId: string,
      lines: ReadonlyArray<unknown>,
      actor: Actor
    ) => Effect.Effect<ImportReport, Problem | Unavailable>
  }
>()("svc/archive/AccountImport") {
  static readonly layer = Layer.effect(
    AccountImport,
    Effect.suspend(() => make)
  ).pipe(Layer.provide([AudienceImport.layer, SetupImport.layer]))
}

const countsOf = (outcomes: ReadonlyArray<Outcome>): LineCounts => {
  const counts = { added: 0, changed: 0, unchanged: 0, refused: 0 }
  for (const outcome of outcomes) counts[Result.isSuccess(outcome) ? outcome.success : "refused"]++
  return counts
}

const make = Effect.gen(function* () {
  const atomically = yield* Atomically
  const { record } = yield* AuditTrail
  const setup = yield* SetupImport
  const audience = yield* AudienceImport

  /** Imports the lines of one kind; returns their outcomes in the same order. */
  const importKind = (
    accountId: string,
    kind: ArchiveKind,
    lines: ReadonlyArray<ArchiveLine>,
    actor: Actor
  ) => {
    const of = <Kind extends ArchiveKind>(wanted: Kind) =>
      lines.filter((line): line is Extract<ArchiveLine, { readonly kind: Kind }> => line.kind === wanted)
    switch (kind) {
      case "suppression":
        return audience.importSuppressions(accountId, of(kind))
      case "contact":
        return audience.importContacts(accountId, of(kind))
      case "item":
        return audience.importItems(accountId, of(kind))
      default:
        return setup.importLines(accountId, lines, actor)
    }
  }

  const load: AccountImport["Service"]["load"] = Effect.fn("AccountImport.load")(
    function* (accountId, values, actor) {
      if (values.length > maxArchiveBatch) {
        return yield* Problem.of("archive.batch_too_large", null, { max: maxArchiveBatch })
      }
      const [header, ...lines] = values.map(parseLine)
      if (header?.kind !== "header") return yield* Problem.of("archive.header_invalid")
      const numbered = lines.map((value, index) => ({ line: index + 2, value }))
      const byKind = Map.groupBy(numbered, ({ value }) => value?.kind ?? "header")
      const { issues } = Problem.of("archive.line_invalid")
      const refused: Array<RejectedLine> = (byKind.get("header") ?? []).map(({ line }) => ({
        line,
        kind: null,
        issues
      }))
      const counts: Partial<Record<ArchiveKind, LineCounts>> = {}
      for (const kind of archiveKinds) {
        const group = byKind.get(kind) ?? []
        if (group.length === 0) continue
        const outcomes = yield* importKind(
          accountId,
          kind,
          group.flatMap(({ value }) => value ?? []),
          actor
        )
        counts[kind] = countsOf(outcomes)
        outcomes.forEach((outcome, index) => {
          if (Result.isFailure(outcome)) {
            refused.push({ line: group[index]!.line, kind, issues: outcome.failure.issues })
          }
        })
      }
      const after = Object.fromEntries(
        Object.entries(counts)
          .filter(([, { added, changed }]) => added + changed > 0)
          .map(([kind, { added, changed }]) => [kind, { added, changed }])
      )
      if (Object.keys(after).length > 0) {
        const change = { accountId, action: "account.imported", target: accountId, before: null, after }
        yield* atomically(record(actor, change))
      }
      return { counts, refused: refused.toSorted((a, b) => a.line - b.line) }
    }
  )

  return AccountImport.of({ load })
})
