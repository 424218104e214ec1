/**
 * The export of the account as a file, and the import of such a file.
 *
 * @module
 */
import { useState } from "react"
import { readPages, upload, urlOf } from "../../api/call.ts"
import { ApiError } from "../../api/errors.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { batchesOf } from "../../lib/archive.ts"
import { saveFile } from "../../lib/saveFile.ts"
import { Button } from "../../parts/form/Button.tsx"
import { Field, Input } from "../../parts/form/Field.tsx"
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { useAction } from "../../parts/overlay/useAction.ts"
import { Banner, ErrorBanner } from "../../parts/page/Banner.tsx"
import { Entry, Rows } from "../../parts/page/Columns.tsx"
import { Card, Section } from "../../parts/page/Page.tsx"
import { useWordsOfService } from "../../texts/said/Said.tsx"

const archiveType = "application/x-ndjson"

/** The timeout of a batch, in milliseconds. */
const batchMillis = 120_000

/** The most rejected lines that are shown. */
const shownLines = 20

/** The result of a batch. */
interface Report {
  readonly counts: Readonly<
    Record<string, { readonly added: number; readonly changed: number; readonly unchanged: number }>
  >
  readonly refused: ReadonlyArray<{
    readonly line: number
    readonly kind: string | null
    readonly errors: ReadonlyArray<{ readonly code: string; readonly message: string }>
  }>
}

const sumOf = (reports: ReadonlyArray<Report>, key: "added" | "changed" | "unchanged"): number =>
  reports.flatMap(({ counts }) => Object.values(counts)).reduce((sum, one) => sum + one[key], 0)

const ImportDialog = ({
  accountId,
  onClose
}: {
  readonly accountId: string
  readonly onClose: () => void
}) => {
  const { archive: texts, common } = useTexts()
  const format = useFormat()
  const { translate } = useWordsOfService()
  const [file, setFile] = useState<File | null>(null)
  const [isMissing, setMissing] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<ApiError | null>(null)
  const [reports, setReports] = useState<ReadonlyArray<Report>>([])
  const load = async () => {
    setMissing(file === null)
    if (file === null) return
    setBusy(true)
    setError(null)
    try {
      const done: Array<Report> = []
      const url = urlOf("/accounts/:accountId/import", { accountId })
      for (const { before, text } of batchesOf(await file.text())) {
        // Batches are sent in sequence, because a line may need an earlier one.
        // oxlint-disable-next-line no-await-in-loop
        const report = await upload<Report>(url, new Blob([text]), archiveType, { millis: batchMillis })
        const refused = report.refused.map((one) => ({ ...one, line: one.line + before }))
        done.push({ ...report, refused })
        setReports([...done])
      }
      setFile(null)
    } catch (failed) {
      if (!(failed instanceof ApiError)) throw failed
      setError(failed)
    } finally {
      setBusy(false)
    }
  }
  const refused = reports.flatMap((report) => report.refused)
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={() => void load()}
      title={texts.importTitle}
      text={texts.importText}
      actions={
        <>
          <Button onClick={onClose}>{reports.length > 0 && !isBusy ? common.close : common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isBusy}>
            {texts.import}
          </Button>
        </>
      }
    >
      {error !== null && <ErrorBanner error={error} />}
      <Field label={texts.file} error={isMissing ? texts.noFile : null}>
        <Input
          type="file"
          accept=".ndjson,.jsonl"
          onChange={(event) => setFile(event.target.files?.[0] ?? null)}
        />
      </Field>
      {reports.length > 0 && (
        <div role="status">
          <Banner tone={refused.length === 0 ? "good" : "warning"}>
            {texts.imported(
              format.number(sumOf(reports, "added")),
              format.number(sumOf(reports, "changed")),
              format.number(sumOf(reports, "unchanged"))
            )}
            {refused.length > 0 && ` ${texts.refused(format.number(refused.length), refused.length)}`}
          </Banner>
        </div>
      )}
      {refused.length > 0 && (
        <Card isFlush>
          <Rows>
            {refused.slice(0, shownLines).map(({ errors, kind, line }) => (
              <Entry
                key={line}
                text={errors.map(({ code, message }) => `${translate(message)} (${code})`).join(" ")}
              >
                {texts.line(format.number(line))} {kind !== null && <code>{kind}</code>}
              </Entry>
            ))}
          </Rows>
        </Card>
      )}
    </Dialog>
  )
}

/** The section of the settings. */
export const Archive = ({ accountId, name }: { readonly accountId: string; readonly name: string }) => {
  const { archive: texts } = useTexts()
  const { isBusy, run } = useAction()
  const [isOpen, setOpen] = useState(false)
  const save = async () => {
    const pages = await readPages("/accounts/:accountId/export", { accountId })
    saveFile(`${name}.ndjson`, archiveType, pages.join(""))
  }
  return (
    <Section
      title={texts.title}
      text={texts.text}
      actions={
        <>
          <Button isSmall onClick={() => setOpen(true)}>
            {texts.import}
          </Button>
          <Button isSmall isBusy={isBusy} onClick={() => void run(save, texts.exportDone)}>
            {texts.export}
          </Button>
        </>
      }
    >
      {isOpen && <ImportDialog accountId={accountId} onClose={() => setOpen(false)} />}
    </Section>
  )
}
