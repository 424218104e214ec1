/**
 * One sending domain: the DNS records that it requires, and whether they were found.
 *
 * @module
 */
import { getRouteApi, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { call, type ValueOf } from "../../api/call.ts"
import { useApi } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { dkimKeyOf } from "../../lib/dkim.ts"
import { Button, IconButton } from "../../parts/form/Button.tsx"
import { ConfirmDialog } from "../../parts/overlay/Dialog.tsx"
import { Menu, MenuItem, MenuLine } from "../../parts/overlay/Menu.tsx"
import { toast } from "../../parts/overlay/toasts.ts"
import { useAction } from "../../parts/overlay/useAction.ts"
import { Banner, ErrorBanner } from "../../parts/page/Banner.tsx"
import { Loaded } from "../../parts/page/Loaded.tsx"
import { Missing } from "../../parts/page/Missing.tsx"
import { Card, Page, Section } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { CopyButton } from "../../parts/show/CopyButton.tsx"
import { useDeliveryTexts } from "../../texts/delivery/useDeliveryTexts.ts"
import { Alignment } from "./Alignment.tsx"
import { DnsGuide } from "./DnsGuide.tsx"
import styles from "./Domains.module.css"
import { domainTones } from "./states.ts"

const route = getRouteApi("/shell/a/$accountId/domains/$domainId")

const listRoute = "GET /accounts/:accountId/domains"

/** The period, in days, for which the removal dialog counts a domain's emails: the longest that the API counts. */
const removedDays = 30

type DomainRecord = ValueOf<typeof listRoute>["items"][number]["records"][number]

const RecordRow = ({ found, name, purpose, seen, type, value }: DomainRecord) => {
  const { domains: texts } = useTexts()
  const { alignment } = useDeliveryTexts()
  const dkim = dkimKeyOf({ name, value })
  const others = found && seen.includes(value) ? [] : [...new Set(seen)].filter((one) => one !== value)
  return (
    <li className={styles["record"]}>
      <div className={styles["head"]}>
        <div>
          <h3>{purpose === "DKIM" ? texts.dkim(dkim.algorithm, dkim.selector) : texts.purposes[purpose]}</h3>
          <p>{texts.purposeTexts[purpose]}</p>
        </div>
        <Badge tone={found ? "good" : "warning"}>{found ? texts.foundNow : texts.notFound}</Badge>
      </div>
      <dl className={styles["values"]}>
        <div>
          <dt>{texts.type}</dt>
          <dd className={styles["value"]}>
            <code>{type}</code>
          </dd>
        </div>
        {[[texts.name, name] as const, [texts.value, value] as const].map(([label, one]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd className={styles["value"]} dir="ltr">
              <code title={one}>{one}</code>
              <CopyButton value={one} />
            </dd>
          </div>
        ))}
        {others.length > 0 && (
          <div className={styles["seen"]}>
            <dt>{alignment.seen}</dt>
            {others.map((one) => (
              <dd key={one} className={styles["value"]} dir="ltr">
                <code title={one}>{one}</code>
              </dd>
            ))}
          </div>
        )}
      </dl>
    </li>
  )
}

/** The screen. */
export const Domain = () => {
  const { domains: texts, people } = useTexts()
  const { guide } = useDeliveryTexts()
  const format = useFormat()
  const { accountId, domainId } = route.useParams()
  const navigate = useNavigate()
  const { can, mode } = useAccount()
  const [open, setOpen] = useState<"rotate" | "remove" | null>(null)
  const params = { accountId, id: domainId }
  const query = useApi(listRoute, { params: { accountId }, query: { limit: 200 } })
  const { isBusy, run } = useAction([listRoute])
  const one = query.data?.items.find(({ id }) => id === domainId)
  const standing = useApi(
    "GET /accounts/:accountId/standing",
    { params: { accountId }, query: { days: removedDays } },
    { enabled: open === "remove" }
  )
  const sent = standing.data?.rates
    .filter(({ domain }) => domain === one?.domain)
    .reduce((sum, { handed }) => sum + handed, 0)
  const check = () =>
    void run(async () => {
      const { records } = await call("POST /accounts/:accountId/domains/:id/verify", { params })
      const missing = records.filter(({ found }) => !found).length
      toast(missing === 0 ? texts.allFound : texts.missing(format.number(missing), missing))
    })
  const rotate = async () => {
    await run(() => call("POST /accounts/:accountId/domains/:id/rotate-dkim", { params }), texts.rotated)
    setOpen(null)
  }
  const remove = async () => {
    if (one === undefined) return
    if (
      await run(() => call("DELETE /accounts/:accountId/domains/:id", { params }), texts.removed(one.domain))
    )
      void navigate({ to: "/a/$accountId/domains", params: { accountId } })
    setOpen(null)
  }
  return (
    <Page
      title={one?.domain ?? texts.domain}
      back={{ link: { to: "/a/$accountId/domains", params: { accountId } }, label: texts.title }}
      badge={
        one !== undefined && (
          <Badge tone={domainTones[one.status] ?? "neutral"}>{texts.states[one.status]}</Badge>
        )
      }
      actions={
        one !== undefined &&
        can("domains:write") && (
          <>
            <Button tone="primary" icon="retry" isBusy={isBusy && open === null} onClick={check}>
              {texts.check}
            </Button>
            <Menu align="end" trigger={<IconButton tone="plain" icon="more" label={people.actions} />}>
              <MenuItem onSelect={() => setOpen("rotate")}>{texts.rotate}</MenuItem>
              <MenuLine />
              <MenuItem icon="trash" isDanger onSelect={() => setOpen("remove")}>
                {texts.remove}
              </MenuItem>
            </Menu>
          </>
        )
      }
    >
      <Loaded query={query}>
        {() =>
          one === undefined ? (
            <Missing thing="Domain" />
          ) : (
            <>
              <Banner
                tone={one.status === "Verified" ? "good" : one.status === "Failing" ? "bad" : "warning"}
              >
                {one.status === "Verified"
                  ? one.records.every(({ found }) => found)
                    ? texts.verifiedText
                    : mode === "live"
                      ? guide.incomplete
                      : texts.verifiedAnyway
                  : one.status === "Failing"
                    ? texts.failingText
                    : texts.pendingText}
              </Banner>
              <Section title={texts.records}>
                <Card isFlush>
                  <ul>
                    {one.records.map((record) => (
                      <RecordRow key={`${record.type} ${record.name} ${record.value}`} {...record} />
                    ))}
                  </ul>
                </Card>
              </Section>
              <DnsGuide domain={one.domain} />
              <Alignment accountId={accountId} domain={one.domain} />
            </>
          )
        }
      </Loaded>
      {open === "rotate" && (
        <ConfirmDialog
          isOpen
          title={texts.rotateTitle}
          text={texts.rotateText}
          action={texts.rotate}
          isBusy={isBusy}
          onClose={() => setOpen(null)}
          onConfirm={() => void rotate()}
        />
      )}
      {open === "remove" && one !== undefined && (
        <ConfirmDialog
          isOpen
          title={texts.removeTitle(one.domain)}
          text={sent === undefined ? null : texts.removeText(one.domain, format.number(sent), sent)}
          action={texts.remove}
          isBusy={isBusy}
          {...(mode === "live" ? { name: one.domain } : {})}
          onClose={() => setOpen(null)}
          onConfirm={() => void remove()}
        >
          {standing.error !== null && (
            <ErrorBanner error={standing.error} onRetry={() => void standing.refetch()} />
          )}
        </ConfirmDialog>
      )}
    </Page>
  )
}
