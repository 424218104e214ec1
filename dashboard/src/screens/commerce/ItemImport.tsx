/**
 * The import of items: the user drops a file and maps its columns, and the rows are sent in batches.
 *
 * @module
 */
import { useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef, useState } from "react"
import { call, type InputOf } from "../../api/call.ts"
import { ApiError } from "../../api/errors.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import {
  attributeTarget,
  batchesOf,
  failedFile,
  guessFields,
  ignored,
  itemOf,
  type ItemReport,
  type ItemSheet,
  maxItems,
  noReport,
  readSheet,
  shownCell,
  withBatch
} from "../../lib/items.ts"
import { optionsOf } from "../../lib/options.ts"
import { saveFile } from "../../lib/saveFile.ts"
import { Button } from "../../parts/form/Button.tsx"
import { Select } from "../../parts/form/Field.tsx"
import { FileDrop } from "../../parts/form/FileDrop.tsx"
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { Banner, ErrorBanner } from "../../parts/page/Banner.tsx"
import { Figures } from "../../parts/page/Columns.tsx"
import { Progress } from "../../parts/show/Progress.tsx"
import { Table } from "../../parts/show/Table.tsx"
import { useCatalogueTexts } from "../../texts/catalogue/useCatalogueTexts.ts"
import styles from "./ItemImport.module.css"

const batchRoute = "POST /accounts/:accountId/items/batch"

/** The largest file, in bytes. */
const maxBytes = 64 * 1024 * 1024
/** The timeout of a batch, in milliseconds. */
const batchMillis = 120_000
/** How many rows the preview shows. */
const shownRows = 20

interface ShownRow {
  readonly cells: ReadonlyArray<unknown>
  readonly at: number
}

interface Picked {
  readonly file: File
  readonly sheet: ItemSheet
  readonly mapping: ReadonlyArray<string>
}

/** The first rows of a file, with the field that each column is mapped to. */
const Mapping = ({
  onMap,
  picked: { mapping, sheet }
}: {
  readonly picked: Picked
  readonly onMap: (mapping: ReadonlyArray<string>) => void
}) => {
  const { imports } = useTexts()
  const { importing: texts } = useCatalogueTexts()
  return (
    <div className={styles["rows"]}>
      <Table
        label={imports.example}
        columns={sheet.heads.map((head, at) => ({
          key: String(at),
          head: (
            <div className={styles["column"]}>
              <span dir="auto">{head}</span>
              <Select
                aria-label={`${imports.target}: ${head}`}
                value={mapping[at]}
                options={[
                  { value: ignored, label: imports.ignored },
                  ...optionsOf(texts.fields),
                  { value: attributeTarget(head), label: texts.attribute(head) }
                ]}
                onChange={(event) => onMap(mapping.with(at, event.target.value))}
              />
            </div>
          ),
          cell: ({ cells }: ShownRow) => <bdi>{shownCell(cells[at])}</bdi>
        }))}
        rows={sheet.rows.slice(0, shownRows).map((cells, at) => ({ cells, at }))}
        keyOf={({ at }) => String(at)}
      />
    </div>
  )
}

/** The progress of the import and its results. */
const Report = ({ report, sheet }: { readonly report: ItemReport; readonly sheet: ItemSheet }) => {
  const { imports } = useTexts()
  const { importing: texts } = useCatalogueTexts()
  const format = useFormat()
  const { created, done, failures, updated } = report
  const total = sheet.rows.length
  const save = () => {
    const { name, text, type } = failedFile(sheet, failures)
    saveFile(name, type, text)
  }
  return (
    <>
      <Progress
        label={texts.progress}
        share={done / total}
        text={texts.of(format.number(done), format.number(total))}
      />
      <Figures
        figures={[
          { name: imports.created, value: format.number(created) },
          { name: imports.updated, value: format.number(updated) },
          { name: imports.failed, value: format.number(failures.length) }
        ]}
      />
      {done === total && (
        <div role="status">
          <Banner tone={failures.length === 0 ? "good" : "warning"}>
            {texts.done(format.number(total), total)} {failures.length > 0 && imports.errorsText}
          </Banner>
        </div>
      )}
      {failures.length > 0 && (
        <div>
          <Button icon="download" onClick={save}>
            {imports.downloadErrors(format.number(failures.length), failures.length)}
          </Button>
        </div>
      )}
    </>
  )
}

/** The dialog. */
export const ItemImport = ({
  accountId,
  onClose
}: {
  readonly accountId: string
  readonly onClose: () => void
}) => {
  const { common, imports } = useTexts()
  const { importing: texts } = useCatalogueTexts()
  const format = useFormat()
  const client = useQueryClient()
  const [picked, setPicked] = useState<Picked | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [report, setReport] = useState<ItemReport | null>(null)
  const [error, setError] = useState<ApiError | null>(null)
  const [isBusy, setBusy] = useState(false)
  const isStopped = useRef(false)
  useEffect(() => {
    isStopped.current = false
    return () => {
      isStopped.current = true
    }
  }, [])
  const pick = async (file: File) => {
    setProblem(null)
    if (file.size > maxBytes) return setProblem(texts.tooLarge)
    const sheet = readSheet(await file.text())
    if (sheet === null) return setProblem(texts.unreadable)
    if (sheet.rows.length > maxItems) return setProblem(texts.tooMany(format.number(maxItems)))
    return setPicked({ file, sheet, mapping: guessFields(sheet.heads) })
  }
  const used = picked?.mapping.filter((target) => target !== ignored) ?? []
  const wrong =
    picked === null
      ? null
      : !used.includes("id")
        ? texts.needsId
        : new Set(used).size !== used.length
          ? imports.twice
          : null
  /** Sends the remaining rows, one batch after another. */
  const send = async ({ mapping, sheet }: Picked, before: ItemReport) => {
    isStopped.current = false
    setBusy(true)
    setError(null)
    let now = before
    setReport(now)
    try {
      for (const items of batchesOf(sheet.rows.slice(before.done).map((row) => itemOf(mapping, row)))) {
        // The rows are sent as the file has them; the service validates them.
        const body = { items } as InputOf<typeof batchRoute>["body"]
        // Batches are sent in sequence, because a row may change an item that an earlier row created.
        // oxlint-disable-next-line no-await-in-loop
        now = withBatch(now, await call(batchRoute, { params: { accountId }, body }, { millis: batchMillis }))
        setReport(now)
        if (isStopped.current) break
      }
    } catch (failed) {
      if (!(failed instanceof ApiError)) throw failed
      setError(failed)
    } finally {
      setBusy(false)
      void client.invalidateQueries({ queryKey: ["GET /accounts/:accountId/items"] })
    }
  }
  const again = picked !== null && report !== null ? () => void send(picked, report) : undefined
  const isLeft = picked !== null && report !== null && report.done < picked.sheet.rows.length
  const actions =
    picked === null ? undefined : report === null ? (
      <>
        <Button onClick={() => setPicked(null)}>{imports.other}</Button>
        <Button onClick={onClose}>{common.cancel}</Button>
        <Button type="submit" tone="primary" disabled={wrong !== null}>
          {texts.run(format.number(picked.sheet.rows.length), picked.sheet.rows.length)}
        </Button>
      </>
    ) : isBusy ? (
      <Button
        onClick={() => {
          isStopped.current = true
        }}
      >
        {texts.stop}
      </Button>
    ) : (
      <>
        {isLeft && error === null && <Button onClick={again}>{texts.goOn}</Button>}
        <Button tone="primary" onClick={onClose}>
          {common.close}
        </Button>
      </>
    )
  return (
    <Dialog
      isOpen
      isWide
      onClose={onClose}
      onSubmit={() => picked !== null && report === null && wrong === null && void send(picked, noReport)}
      title={texts.open}
      text={
        picked === null ? texts.text : report === null ? texts.mapText : isBusy ? texts.stopText : undefined
      }
      actions={actions}
    >
      {problem !== null && <Banner tone="bad">{problem}</Banner>}
      {error !== null && <ErrorBanner error={error} onRetry={again} />}
      {picked === null ? (
        <FileDrop
          accept=".csv,.json,.ndjson,.jsonl,text/csv,application/json"
          text={texts.drop}
          choose={imports.choose}
          onFile={(file) => void pick(file)}
        />
      ) : (
        <>
          <p className={styles["picked"]}>
            <strong dir="auto">{picked.file.name}</strong> {format.bytes(picked.file.size)}
          </p>
          {report === null ? (
            <>
              <Mapping picked={picked} onMap={(mapping) => setPicked({ ...picked, mapping })} />
              {wrong !== null && <Banner tone="warning">{wrong}</Banner>}
            </>
          ) : (
            <Report report={report} sheet={picked.sheet} />
          )}
        </>
      )}
    </Dialog>
  )
}
