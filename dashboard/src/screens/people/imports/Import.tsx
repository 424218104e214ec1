/**
 * One import: its progress, its results, and the rows that failed.
 *
 * @module
 */
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import { call, urlOf } from "../../../api/call.ts"
import { useApi } from "../../../api/queries.ts"
import { useFormat, useTexts } from "../../../app/reader.tsx"
import { useAccount } from "../../../app/session.ts"
import { Button, ButtonAnchor } from "../../../parts/form/Button.tsx"
import { ConfirmDialog } from "../../../parts/overlay/Dialog.tsx"
import { useAction } from "../../../parts/overlay/useAction.ts"
import { Banner } from "../../../parts/page/Banner.tsx"
import { Figures } from "../../../parts/page/Columns.tsx"
import { Loaded } from "../../../parts/page/Loaded.tsx"
import { Card, Facts, Page, Section } from "../../../parts/page/Page.tsx"
import { Badge } from "../../../parts/show/Badge.tsx"
import { Progress } from "../../../parts/show/Progress.tsx"
import { RelativeTime } from "../../../parts/show/RelativeTime.tsx"
import { Said } from "../../../texts/said/Said.tsx"
import { importTones, isGoing, pollMillis } from "./states.ts"

const route = getRouteApi("/shell/a/$accountId/people/imports/$importId")

const readRoute = "GET /accounts/:accountId/imports/:id"

/** The screen. */
export const Import = () => {
  const { imports: texts, people } = useTexts()
  const format = useFormat()
  const { accountId, importId } = route.useParams()
  const { can } = useAccount()
  const [isCancelling, setCancelling] = useState(false)
  const [isLive, setLive] = useState(true)
  const params = { accountId, id: importId }
  const query = useApi(readRoute, { params }, isLive ? { refetchInterval: pollMillis } : {})
  const { isBusy, run } = useAction([readRoute, "GET /accounts/:accountId/imports"])
  const one = query.data
  const goes = one === undefined ? query.error === null : isGoing(one)
  if (goes !== isLive) setLive(goes)
  const cancel = async () => {
    await run(() => call("DELETE /accounts/:accountId/imports/:id", { params }), texts.cancelled)
    setCancelling(false)
  }
  return (
    <Page
      title={one?.name ?? (one === undefined ? people.tabs.imports : texts.unnamed)}
      back={{
        link: { to: "/a/$accountId/people/imports", params: { accountId } },
        label: people.tabs.imports
      }}
      badge={
        one !== undefined && (
          <>
            {one.dryRun && <Badge tone="warning">{texts.dryRun}</Badge>}
            <Badge tone={importTones[one.status] ?? "neutral"}>{texts.states[one.status]}</Badge>
          </>
        )
      }
      actions={
        one !== undefined &&
        isGoing(one) &&
        can("contacts:import") && <Button onClick={() => setCancelling(true)}>{texts.cancel}</Button>
      }
    >
      <Loaded thing="Import" query={query}>
        {({ createdAt, dryRun, failure, finishedAt, mapping, processed, rows, size, status }) => (
          <>
            {failure !== null && (
              <Banner tone="bad">
                <Said text={failure.message} />
                {failure.line !== null && ` (${texts.line(format.number(failure.line))})`}
              </Banner>
            )}
            {dryRun && <Banner>{texts.dryRunText}</Banner>}
            <Progress
              label={texts.progress}
              share={status === "Completed" ? 1 : size === 0 ? 0 : processed / size}
              text={`${format.bytes(processed)} / ${format.bytes(size)}`}
            />
            <Figures
              figures={[
                { name: texts.rows, value: format.number(rows.read) },
                { name: texts.created, value: format.number(rows.created) },
                { name: texts.updated, value: format.number(rows.updated) },
                { name: texts.failed, value: format.number(rows.failed) }
              ]}
            />
            {rows.failed > 0 && (
              <Banner
                tone="warning"
                action={
                  <ButtonAnchor
                    isSmall
                    icon="download"
                    href={urlOf("/accounts/:accountId/imports/:id/errors", params)}
                    download
                  >
                    {texts.downloadErrors(format.number(rows.failed), rows.failed)}
                  </ButtonAnchor>
                }
              >
                {dryRun ? texts.dryRunErrors : texts.errorsText}
              </Banner>
            )}
            <Section title={texts.columns}>
              <Card>
                <Facts
                  facts={[
                    ...Object.entries(mapping).map(
                      ([head, target]) =>
                        [
                          head,
                          target === "ignored" ? texts.ignored : <code key="target">{target}</code>
                        ] as const
                    ),
                    [texts.started, <RelativeTime key="at" at={createdAt} form="moment" />],
                    [texts.finished, <RelativeTime key="at" at={finishedAt} form="moment" />]
                  ]}
                />
              </Card>
            </Section>
          </>
        )}
      </Loaded>
      {isCancelling && (
        <ConfirmDialog
          isOpen
          title={texts.cancel}
          text={
            one === undefined
              ? null
              : texts.cancelText(
                  format.number(one.rows.created + one.rows.updated),
                  one.rows.created + one.rows.updated
                )
          }
          action={texts.cancel}
          isBusy={isBusy}
          onClose={() => setCancelling(false)}
          onConfirm={() => void cancel()}
        />
      )}
    </Page>
  )
}
