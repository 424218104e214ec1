/**
 * A dry run of an import: every row is checked, and nothing is written.
 *
 * @module
 */
import { useState } from "react"
import { urlOf } from "../../../api/call.ts"
import { useApi } from "../../../api/queries.ts"
import { useFormat, useTexts } from "../../../app/reader.tsx"
import { ButtonAnchor } from "../../../parts/form/Button.tsx"
import { Banner } from "../../../parts/page/Banner.tsx"
import { Figures } from "../../../parts/page/Columns.tsx"
import { Loaded } from "../../../parts/page/Loaded.tsx"
import { Progress } from "../../../parts/show/Progress.tsx"
import { Said } from "../../../texts/said/Said.tsx"
import styles from "./ImportDialog.module.css"
import { isGoing, pollMillis } from "./states.ts"

/** The counts of a dry run, and the rows that would fail. */
export const Trial = ({ accountId, importId }: { readonly accountId: string; readonly importId: string }) => {
  const { imports: texts } = useTexts()
  const format = useFormat()
  const [isLive, setLive] = useState(true)
  const params = { accountId, id: importId }
  const query = useApi(
    "GET /accounts/:accountId/imports/:id",
    { params },
    isLive ? { refetchInterval: pollMillis } : {}
  )
  const goes = query.data === undefined ? query.error === null : isGoing(query.data)
  if (goes !== isLive) setLive(goes)
  return (
    <Loaded query={query}>
      {({ failure, processed, rows, size, status }) => (
        <div role="status" className={styles["trial"]}>
          {failure === null ? (
            <Banner tone={status === "Completed" && rows.failed === 0 ? "good" : "neutral"}>
              {texts.dryRunText}
            </Banner>
          ) : (
            <Banner tone="bad">
              <Said text={failure.message} />
            </Banner>
          )}
          {goes && (
            <Progress
              label={texts.progress}
              share={size === 0 ? 0 : processed / size}
              text={`${format.bytes(processed)} / ${format.bytes(size)}`}
            />
          )}
          <Figures
            figures={[
              { name: texts.rows, value: format.number(rows.read) },
              { name: texts.created, value: format.number(rows.created) },
              { name: texts.updated, value: format.number(rows.updated) },
              { name: texts.failed, value: format.number(rows.failed) }
            ]}
          />
          {rows.failed > 0 && (
            <div>
              <ButtonAnchor
                isSmall
                icon="download"
                href={urlOf("/accounts/:accountId/imports/:id/errors", params)}
                download
              >
                {texts.downloadErrors(format.number(rows.failed), rows.failed)}
              </ButtonAnchor>
            </div>
          )}
        </div>
      )}
    </Loaded>
  )
}
