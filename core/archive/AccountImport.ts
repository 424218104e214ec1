/**
 * Takes lines of an archive into an account, a batch at a time. Each line is refused by itself; what is taken stays, and
 * may be sent again: a second time it changes nothing.
 *
 * Contacts, items and suppressed addresses are written as batches, in a fixed number of statements. What an account has
 * only some hundreds of (topics, fields, segments, stores, webhooks, flows; templates up to a thousand) is written one by
 * one.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { AuditTrail } from "../accounts/AuditTrail.ts"
import { Transaction } from "../ports/Transaction.ts"
import { retryConflicts } from "../kernel/Conflicts.ts"
import { type Issue, Problem, type Unavailable } from "../shared/Problem.ts"
import { type ArchiveKind, archiveKinds, type ArchiveLine, parseLine } from "./ArchiveLine.ts"
import type { Outcome } from "./ContactMerge.ts"
import { makeAudienceImport } from "./AudienceImport.ts"
import { makeSetupImport } from "./SetupImport.ts"

/** The most lines of one batch, its header counted. */
export const maxArchiveBatch = 1000

/** What became of the lines of a kind. */
export interface LineCounts {
  readonly added: number
  readonly changed: number
  /** Those the account had already. */
  readonly unchanged: number
  readonly refused: number
}

/** A line that was refused. */
export interface RefusedLine {
  /** Its place in the batch, from 1; the header is the first. */
  readonly line: number
  /** Null for what is no line of an archive. */
  readonly kind: ArchiveKind | null
  readonly issues: ReadonlyArray<Issue>
}

/** What became of a batch. */
export interface ImportReport {
  /** The kinds the batch has. */
  readonly counts: Readonly<Partial<Record<ArchiveKind, LineCounts>>>
  readonly refused: ReadonlyArray<RefusedLine>
}

/** Takes archives into accounts. */
export class AccountImport extends Context.Service<
  AccountImport,
  {
    /**
     * Takes a batch: parsed lines, undefined for what is no JSON, the first the archive's header. Committed kind by kind,
     * in the order archives have them. archive.header_invalid, archive.batch_too_large.
     */
    readonly load: (
      accountId: string,
      lines: ReadonlyArray<unknown>,
      actor: string
    ) => Effect.Effect<ImportReport, Problem | Unavailable>
  }
>()("svc/archive/AccountImport") {
  static readonly layer = Layer.effect(
    AccountImport,
    Effect.suspend(() => make)
  )
}

interface Placed {
  readonly line: number
  readonly value: ArchiveLine
}

const isKind = (kind: ArchiveLine["kind"]): kind is ArchiveKind => kind !== "header"

const countsOf = (outcomes: ReadonlyArray<Outcome>): LineCounts => ({
  added: outcomes.filter((outcome) => outcome === "added").length,
  changed: outcomes.filter((outcome) => outcome === "changed").length,
  unchanged: outcomes.filter((outcome) => outcome === "unchanged").length,
  refused: outcomes.filter((outcome) => outcome instanceof Problem).length
})

const make = Effect.gen(function* () {
  const transaction = yield* Transaction
  const { record } = yield* AuditTrail
  const setup = yield* makeSetupImport
  const audience = yield* makeAudienceImport

  /** Takes the lines of one kind; their outcomes, in order. */
  const take = (accountId: string, kind: ArchiveKind, lines: ReadonlyArray<ArchiveLine>, actor: string) => {
    const of = <Kind extends ArchiveKind>(wanted: Kind) =>
      lines.filter((line): line is Extract<ArchiveLine, { readonly kind: Kind }> => line.kind === wanted)
    switch (kind) {
      case "suppression":
        return audience.suppressions(accountId, of(kind))
      case "contact":
        return audience.contacts(accountId, of(kind))
      case "item":
        return audience.items(accountId, of(kind))
      default:
        return setup(accountId, lines, actor)
    }
  }

  const load: AccountImport["Service"]["load"] = Effect.fn("AccountImport.load")(
    function* (accountId, values, actor) {
      if (values.length > maxArchiveBatch) {
        return yield* Problem.of("archive.batch_too_large", null, { max: maxArchiveBatch })
      }
      const parsed = values.map(parseLine)
      if (parsed[0]?.kind !== "header") return yield* Problem.of("archive.header_invalid")
      const refused: Array<RefusedLine> = []
      const byKind = new Map<ArchiveKind, Array<Placed>>()
      parsed.forEach((value, index) => {
        const line = index + 1
        if (index === 0) return
        if (value === null || !isKind(value.kind)) {
          refused.push({ line, kind: null, issues: Problem.of("archive.line_invalid").issues })
          return
        }
        const group = byKind.get(value.kind)
        if (group === undefined) byKind.set(value.kind, [{ line, value }])
        else group.push({ line, value })
      })
      const counts: Partial<Record<ArchiveKind, LineCounts>> = {}
      for (const kind of archiveKinds) {
        const placed = byKind.get(kind)
        if (placed === undefined) continue
        const outcomes = yield* take(
          accountId,
          kind,
          placed.map(({ value }) => value),
          actor
        )
        counts[kind] = countsOf(outcomes)
        outcomes.forEach((outcome, index) => {
          if (outcome instanceof Problem) {
            refused.push({ line: placed[index]!.line, kind, issues: outcome.issues })
          }
        })
      }
      const written = Object.fromEntries(
        Object.entries(counts)
          .filter(([, { added, changed }]) => added + changed > 0)
          .map(([kind, { added, changed }]) => [kind, { added, changed }])
      )
      if (Object.keys(written).length > 0) {
        yield* retryConflicts(
          transaction.run(
            record(actor, {
              accountId,
              action: "account.imported",
              target: accountId,
              before: null,
              after: written
            })
          )
        )
      }
      return { counts, refused: refused.toSorted((a, b) => a.line - b.line) }
    }
  )

  return AccountImport.of({ load })
})
