/**
 * The dialog for a new import: the user drops a file, maps its columns, and starts the import.
 *
 * @module
 */
import { optionsOf } from "../../../lib/options.ts"
import { useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { upload, urlOf, type ValueOf } from "../../../api/call.ts"
import { ApiError } from "../../../api/errors.ts"
import { useExtra } from "../../../api/queries.ts"
import { useFormat, useTexts } from "../../../app/reader.tsx"
import { useAccount } from "../../../app/session.ts"
import { type CsvRows, readCsv } from "../../../lib/csv.ts"
import { numbered } from "../../../lib/numbered.ts"
import { Button } from "../../../parts/form/Button.tsx"
import { Select } from "../../../parts/form/Field.tsx"
import { FileDrop } from "../../../parts/form/FileDrop.tsx"
import { Dialog } from "../../../parts/overlay/Dialog.tsx"
import { toast } from "../../../parts/overlay/toasts.ts"
import { Banner, ErrorBanner } from "../../../parts/page/Banner.tsx"
import { Section } from "../../../parts/page/Page.tsx"
import { Table } from "../../../parts/show/Table.tsx"
import { ConsentFields, consentOf, noConsent } from "../ConsentFields.tsx"
import styles from "./ImportDialog.module.css"
import { guessTarget } from "./targets.ts"
import { Trial } from "./Trial.tsx"

/** The largest file, in bytes (docs/imports.md). */
const maxBytes = 256 * 1024 * 1024
/** How much of a file is read to show its first rows, in bytes. */
const headBytes = 256 * 1024
/** The timeout for uploading a file, in milliseconds. */
const sendMillis = 30 * 60_000
const keyTargets = ["email", "externalId", "id"]

type Picked = { readonly file: File; readonly head: CsvRows; readonly mapping: ReadonlyArray<string> }

const useTargets = (accountId: string) => {
  const { imports: texts, people } = useTexts()
  const fields = useExtra("GET /accounts/:accountId/contact-attributes", { params: { accountId } }) ?? []
  const topics =
    useExtra("GET /accounts/:accountId/topics", { params: { accountId }, query: { limit: 100 } })?.items ?? []
  return [
    { value: "ignored", label: texts.ignored },
    ...optionsOf(people.fields),
    { value: "id", label: texts.id },
    ...fields
      .filter(({ archivedAt }) => archivedAt === null)
      .map(({ key, label }) => ({ value: `attributes.${key}`, label: texts.attribute(label) })),
    ...topics
      .filter(({ isArchived }) => !isArchived)
      .map(({ key, name }) => ({ value: `topics.${key}`, label: texts.topic(name) }))
  ]
}

/** The first rows of the file. */
const Preview = ({ heads, label, rows }: CsvRows & { readonly label: string }) => (
  <Table
    label={label}
    rows={numbered(rows)}
    keyOf={({ place }) => String(place)}
    columns={numbered(heads).map(({ item: head, place: at }) => ({
      key: String(at),
      head: <bdi>{head}</bdi>,
      cell: ({ item: row }: { readonly item: ReadonlyArray<string> }) => <bdi>{row[at] ?? ""}</bdi>
    }))}
  />
)

/** The dialog. */
export const ImportDialog = ({
  accountId,
  onClose
}: {
  readonly accountId: string
  readonly onClose: () => void
}) => {
  const { common, imports: texts } = useTexts()
  const format = useFormat()
  const { can } = useAccount()
  const client = useQueryClient()
  const navigate = useNavigate()
  const targets = useTargets(accountId)
  const [picked, setPicked] = useState<Picked | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [error, setError] = useState<ApiError | null>(null)
  const [busy, setBusy] = useState<"run" | "try" | null>(null)
  /** The dry run of the file with the current mapping. */
  const [tried, setTried] = useState<string | null>(null)
  const [consent, setConsent] = useState(noConsent)
  const pick = async (file: File) => {
    setError(null)
    setProblem(null)
    setTried(null)
    if (file.size > maxBytes) return setProblem(texts.tooLarge)
    const head = readCsv(await file.slice(0, headBytes).text())
    if (head === null) return setProblem(texts.notCsv)
    const values = targets.map(({ value }) => value)
    return setPicked({ file, head, mapping: head.heads.map((one) => guessTarget(one, values)) })
  }
  const used = picked?.mapping.filter((target) => target !== "ignored") ?? []
  const firstRows = picked?.head.rows.length ?? 0
  const preview = texts.preview(format.number(firstRows), firstRows)
  const wrong =
    picked === null
      ? null
      : !used.some((target) => keyTargets.includes(target))
        ? texts.needsKey
        : new Set(used).size !== used.length
          ? texts.twice
          : null
  const start = async (kind: "run" | "try") => {
    if (picked === null || wrong !== null) return
    setBusy(kind)
    setError(null)
    setTried(null)
    const said = consentOf(consent)
    const url = urlOf(
      "/accounts/:accountId/imports",
      { accountId },
      {
        name: picked.file.name.slice(0, 200),
        mapping: JSON.stringify(
          Object.fromEntries(picked.head.heads.map((head, at) => [head, picked.mapping[at]]))
        ),
        ...(said === null ? {} : { consent: JSON.stringify(said) }),
        ...(kind === "try" ? { dryRun: "true" } : {})
      }
    )
    try {
      const started = await upload<ValueOf<"GET /accounts/:accountId/imports/:id">>(
        url,
        picked.file,
        "text/csv",
        { millis: sendMillis }
      )
      await client.invalidateQueries({ queryKey: ["GET /accounts/:accountId/imports"] })
      if (kind === "try") {
        setTried(started.id)
        return
      }
      toast(texts.running)
      onClose()
      void navigate({
        to: "/a/$accountId/people/imports/$importId",
        params: { accountId, importId: started.id }
      })
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure
      setError(failure)
    } finally {
      setBusy(null)
    }
  }
  const map = (at: number, target: string) => {
    if (picked === null) return
    setTried(null)
    setPicked({ ...picked, mapping: picked.mapping.with(at, target) })
  }
  return (
    <Dialog
      isOpen
      isWide
      onClose={onClose}
      onSubmit={() => void start("run")}
      title={texts.add}
      text={picked === null ? texts.addText : texts.columnsText}
      actions={
        picked !== null && (
          <>
            <Button onClick={() => setPicked(null)}>{texts.other}</Button>
            <Button onClick={onClose}>{common.cancel}</Button>
            <Button
              isBusy={busy === "try"}
              disabled={wrong !== null || busy === "run"}
              onClick={() => void start("try")}
            >
              {texts.tryFirst}
            </Button>
            <Button
              type="submit"
              tone="primary"
              isBusy={busy === "run"}
              disabled={wrong !== null || busy === "try"}
            >
              {texts.run}
            </Button>
          </>
        )
      }
    >
      {problem !== null && <Banner tone="bad">{problem}</Banner>}
      {error !== null && <ErrorBanner error={error} />}
      {picked === null ? (
        <FileDrop
          accept=".csv,text/csv,text/plain"
          text={texts.drop}
          choose={texts.choose}
          onFile={(file) => void pick(file)}
        />
      ) : (
        <>
          <p className={styles["picked"]}>
            <strong dir="auto">{picked.file.name}</strong> {format.bytes(picked.file.size)}
          </p>
          {/* Scrollable content must be focusable for the keyboard. */}
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
          <div className={styles["scroll"]} tabIndex={0} role="group" aria-label={texts.columns}>
            <table className={styles["map"]}>
              <thead>
                <tr>
                  <th scope="col">{texts.column}</th>
                  <th scope="col">{texts.example}</th>
                  <th scope="col">{texts.target}</th>
                </tr>
              </thead>
              <tbody>
                {picked.head.heads.map((head, at) => (
                  // Columns may have the same name, and their order never changes.
                  // oxlint-disable-next-line react/no-array-index-key
                  <tr key={at}>
                    <th scope="row" dir="auto">
                      {head}
                    </th>
                    <td dir="auto">
                      {picked.head.rows
                        .slice(0, 3)
                        .map((row) => row[at] ?? "")
                        .filter((cell) => cell !== "")
                        .join(", ")}
                    </td>
                    <td>
                      <Select
                        aria-label={`${texts.target}: ${head}`}
                        value={picked.mapping[at]}
                        options={targets}
                        onChange={(event) => map(at, event.target.value)}
                      />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {wrong !== null && <Banner tone="warning">{wrong}</Banner>}
          <Section title={preview}>
            <div className={styles["preview"]}>
              <Preview {...picked.head} label={preview} />
            </div>
          </Section>
          {can("consent:write") && (
            <ConsentFields
              value={consent}
              onChange={(next) => {
                setTried(null)
                setConsent(next)
              }}
              hint={texts.consentText}
            />
          )}
          {tried !== null && <Trial accountId={accountId} importId={tried} />}
        </>
      )}
    </Dialog>
  )
}
