/**
 * `svc export` and `svc import`: write an account's data to a file and read it back, one page at a time.
 *
 * @module
 */
import { Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { createReadStream } from "node:fs"
import { type FileHandle, open, rename, rm, stat } from "node:fs/promises"
import { createInterface } from "node:readline"
import { Progress } from "../../adapters/postgres/engine/Progress.ts"
import { ReportShape } from "../../adapters/http/schema/management/Archive.ts"
import { withProgress } from "../telemetry/progress.ts"
import { accountFlag } from "./keys.ts"
import { withField } from "../../client/index.ts"
import { accountPath, type Server, serverFlags, serverOf } from "./management.ts"
import { BadNews, codeOf, CommandFailed, note, oneLine, print } from "./output.ts"

const kindOf = /^\{"kind":"([a-z]+)"/

/** Adds to the count of a name, by default one. */
const count = (counts: Map<string, number>, name: string, by = 1): void => {
  counts.set(name, (counts.get(name) ?? 0) + by)
}

const tryFile = <A>(path: string, what: string, work: () => Promise<A>) =>
  Effect.tryPromise({
    try: work,
    catch: (error) => new CommandFailed({ message: `${oneLine(path)} cannot be ${what}: ${codeOf(error)}` })
  })

const nextPage = /^<(\?after=[^>]+)>; rel="next"$/

/** Reads the archive page by page and passes each page's text to `take`. */
const readArchive = Effect.fnUntraced(function* <E>(
  server: Server,
  account: string,
  take: (text: string) => Effect.Effect<void, E>
) {
  let query = ""
  for (;;) {
    const { header, text } = yield* server.exchange("GET", `${accountPath(account)}/export${query}`)
    yield* take(text)
    const [, next] = nextPage.exec(header("link") ?? "") ?? []
    if (next === undefined) return
    query = next
  }
})

/** Writes a file atomically. It contains personal data, so only its owner can read it. */
const wholeFile = <A, E, R>(path: string, use: (file: FileHandle) => Effect.Effect<A, E, R>) => {
  const partial = `${path}.${process.pid}.partial`
  return Effect.acquireUseRelease(
    tryFile(path, "written", () => open(partial, "wx", 0o600)),
    (file) =>
      Effect.tap(use(file), () =>
        tryFile(path, "written", async () => {
          await file.sync()
          await rename(partial, path)
        })
      ),
    (file) =>
      Effect.promise(async () => {
        await file.close()
        await rm(partial, { force: true })
      })
  )
}

const contents =
  "The file contains settings, topics, contact fields, segments, templates, flows (drafts and published versions), " +
  "connected stores and webhooks without their secrets, suppressed addresses, contacts with their attributes, topics, " +
  "consent and complete consent history with proofs, and the catalogue. It does not contain API keys, sending domains and " +
  "their keys, secrets, trigger tokens, emails, timelines, runs of flows, orders, carts, the audit log, or the traces of " +
  "erased people."

/** `svc export`. */
export const exportAccount = Command.make(
  "export",
  {
    ...serverFlags,
    account: accountFlag,
    out: Flag.String("out").pipe(
      Flag.withDescription("File to write, or - for standard output"),
      Flag.withMetavar("file")
    )
  },
  Effect.fnUntraced(function* (given) {
    const server = yield* serverOf(given)
    const tellProgress = yield* Progress
    const everyone = { definition: { join: "All" as const, rules: [] } }
    const people = yield* server.manage((client) => client.managedSegments.preview(given.account, everyone))
    const counts = new Map<string, number>()
    const tally = (text: string) => {
      for (const line of text.split("\n")) {
        const [, kind] = kindOf.exec(line) ?? []
        if (kind !== undefined && kind !== "header") count(counts, kind)
      }
      // Most lines are contacts, and their number is known.
      tellProgress("Exporting contacts", counts.get("contact") ?? 0, people.count)
    }
    if (given.out === "-") {
      yield* readArchive(server, given.account, (text) => {
        tally(text)
        return text === "" ? Effect.void : print(text.replace(/\n$/, ""))
      })
    } else {
      yield* wholeFile(given.out, (file) =>
        readArchive(server, given.account, (text) => {
          tally(text)
          return tryFile(given.out, "written", () => file.appendFile(text))
        })
      )
    }
    return yield* note(
      counts.size === 0
        ? "Exported nothing"
        : `Exported ${Array.from(counts, ([kind, lines]) => `${kind} ${lines}`).join(", ")}`
    )
  }, withProgress)
).pipe(
  Command.withDescription(
    `Write the data of an account as NDJSON: a header, then one JSON object per line. ${contents} The file appears only ` +
      "when it is complete. It contains personal data, so only its owner can read it. The export is not a snapshot: a " +
      "record that changes during the export is included in its state before or after the change."
  ),
  Command.withShortDescription("Write the data of an account to a file"),
  Command.withExamples([{ command: "svc export --account 019a... --out account.ndjson" }])
)

const maxLines = 500
const maxBatchCharacters = 4_000_000

/** The maximum length of a line, in characters. A template may have a million, and a contact's history several million. */
const maxLine = 20_000_000

const decodeReport = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ value: ReportShape })))

interface Line {
  readonly number: number
  readonly text: string
}

/** The non-empty lines of a file, in batches that the server accepts. */
async function* batchesOf(
  path: string,
  noteBytes: (read: number) => void
): AsyncGenerator<ReadonlyArray<Line>> {
  const input = createReadStream(path)
  let batch: Array<Line> = []
  let size = 0
  let number = 0
  for await (const text of createInterface({ input, crlfDelay: Infinity })) {
    number++
    if (text.trim() === "") continue
    if (batch.length > 0 && (batch.length >= maxLines || size + text.length > maxBatchCharacters)) {
      noteBytes(input.bytesRead)
      yield batch
      batch = []
      size = 0
    }
    batch.push({ number, text })
    size += text.length
  }
  if (batch.length > 0) yield batch
}

/** Counts outcomes by kind of line. */
class Tally {
  readonly counts = new Map<string, Map<string, number>>()
  refused = 0

  add(kind: string, outcomes: Readonly<Record<string, number>>): void {
    const of = this.counts.get(kind) ?? new Map<string, number>()
    this.counts.set(kind, of)
    for (const [outcome, lines] of Object.entries(outcomes)) count(of, outcome, lines)
  }

  lines(): ReadonlyArray<string> {
    return Array.from(this.counts, ([kind, of]) => {
      const parts = Array.from(of, ([outcome, lines]) => `${lines} ${outcome}`)
      return `${kind}: ${parts.join(", ")}`
    })
  }
}

/** `svc import`. */
export const importAccount = Command.make(
  "import",
  {
    ...serverFlags,
    account: accountFlag,
    file: Argument.String("file").pipe(Argument.withDescription("File written by svc export"))
  },
  Effect.fnUntraced(function* (given) {
    const server = yield* serverOf(given)
    const tellProgress = yield* Progress
    const { file } = given
    const { size } = yield* tryFile(file, "read", () => stat(file))
    const tally = new Tally()
    let header: string | null = null

    const send = Effect.fnUntraced(function* (batch: ReadonlyArray<Line>) {
      const [first] = batch
      const isStart = header === null
      header ??= first?.text ?? ""
      const tooLong = batch.find(({ text }) => text.length > maxLine)
      if (tooLong !== undefined)
        return yield* CommandFailed.of(`Line ${tooLong.number} is too long for an export file`)
      const texts = batch.map(({ text }) => text)
      const body = `${(isStart ? texts : [header, ...texts]).join("\n")}\n`
      const answer = yield* server.exchange("POST", `${accountPath(given.account)}/import`, body)
      const report = Option.getOrNull(decodeReport(answer.text))
      if (report === null) return yield* CommandFailed.of("This version cannot read the server's response")
      for (const [kind, outcomes] of Object.entries(report.value.counts)) tally.add(kind, outcomes)
      for (const { errors, kind, line } of report.value.refused) {
        tally.refused++
        const place = batch[line - (isStart ? 1 : 2)]?.number ?? 0
        const why = errors.map(({ code, field, message }) => `${withField(field, message)} (${code})`)
        yield* note(oneLine(`line ${place}${kind === null ? "" : `, ${kind}`}: ${why.join(" ")}`))
      }
      return undefined
    })

    let read = 0
    const batches = batchesOf(file, (bytes) => {
      read = bytes
    })
    for (;;) {
      const next = yield* tryFile(file, "read", () => batches.next())
      if (next.done === true) break
      yield* send(next.value)
      tellProgress("Importing", read, size)
    }
    if (header === null) return yield* CommandFailed.of(`${oneLine(file)} is empty`)
    for (const line of tally.lines()) yield* print(line)
    if ((tally.counts.get("webhook")?.get("added") ?? 0) > 0) {
      yield* note(
        "Webhooks were added with new secrets. Rotate each secret to see it, then configure it at the receiver"
      )
    }
    if ((tally.counts.get("store")?.get("added") ?? 0) > 0) {
      yield* note("Stores were added disconnected. Connect each store again to get its token")
    }
    if ((tally.counts.get("flow")?.get("added") ?? 0) > 0) {
      yield* note("Flows were added as drafts or paused. Publish those that should run here")
    }
    return tally.refused === 0 ? undefined : yield* new BadNews()
  }, withProgress)
).pipe(
  Command.withDescription(
    "Import a file of svc export, in batches, into an account of this or another installation. Contacts keep their ids. " +
      "A contact whose id, address or external id already exists is merged: values of the file replace stored values, the " +
      "later consent wins, a bounce or complaint wins over any other state, and the histories are combined. A person who " +
      "was erased from the account stays erased. Stores are imported disconnected, webhooks with new secrets, and flows as " +
      "drafts or paused, so that they start no runs until they are published. Nothing is deleted. Importing a file again " +
      "changes nothing. Exit code 1 if lines were rejected; each is reported on standard error."
  ),
  Command.withShortDescription("Import a file of svc export into an account"),
  Command.withExamples([{ command: "svc import --account 019b... account.ndjson" }])
)
