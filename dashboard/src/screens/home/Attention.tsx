/**
 * What requires attention, with links: domains, standing, campaigns, webhooks, keys, held and waiting mail, limits, and for
 * operators the installation.
 *
 * @module
 */
import { useIsFetching } from "@tanstack/react-query"
import type { LinkProps } from "@tanstack/react-router"
import { useExtra } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount, useSession } from "../../app/session.ts"
import { attentionKeys } from "../../lib/keyAge.ts"
import { useNow } from "../../lib/now.ts"
import { ButtonLink } from "../../parts/form/Button.tsx"
import { Banner } from "../../parts/page/Banner.tsx"
import { LoadingLines } from "../../parts/page/Empty.tsx"
import { Section } from "../../parts/page/Page.tsx"
import { Said } from "../../texts/said/Said.tsx"
import styles from "./Home.module.css"

/** The share of a limit from which a warning is shown. */
const nearLimit = 0.8

const dayMillis = 86_400_000

/** How long something a campaign did by itself counts as news, in milliseconds. */
const newsMillis = { sent: dayMillis, unsubscribed: 7 * dayMillis }

/** The most campaigns of a kind that are listed. */
const maxCampaigns = 5

/** The page size of the lists that are read. */
const maxListed = 200

interface Concern {
  readonly text: string
  /** A message of the service, in English. */
  readonly said?: string
  readonly tone?: "bad" | "good"
  readonly link: LinkProps
}

/** What requires attention in the account. */
const useConcerns = (): ReadonlyArray<Concern> => {
  const { homeScreen: texts, usage } = useTexts()
  const format = useFormat()
  const { can, id: accountId, mode } = useAccount()
  const now = useNow()
  const params = { accountId }
  const one = { limit: 1, count: "exact" } as const
  // Rounded to whole days, so that the cache key stays the same.
  const timeAgo = (millis: number): string =>
    new Date(Math.floor((now.getTime() - millis) / dayMillis) * dayMillis).toISOString()
  const mayEmails = { enabled: can("emails:read") }
  const domains = useExtra("GET /accounts/:accountId/domains", { params }, { enabled: can("domains:read") })
  const webhooks = useExtra(
    "GET /accounts/:accountId/webhooks",
    { params },
    { enabled: can("webhooks:read") }
  )
  const keys = useExtra("GET /accounts/:accountId/api-keys", { params }, { enabled: can("keys:read") })
  const used = useExtra("GET /accounts/:accountId/usage", { params }, { enabled: can("company:read") })
  const emailsRoute = "GET /accounts/:accountId/emails"
  const held = useExtra(emailsRoute, { params, query: { ...one, status: ["PendingReview"] } }, mayEmails)
  const retried = useExtra(
    emailsRoute,
    { params, query: { ...one, reason: ["sending.retrying"] } },
    mayEmails
  )
  const events = useExtra(
    "GET /accounts/:accountId/events",
    { params, query: { ...one, status: ["Failed"], since: timeAgo(dayMillis) } },
    { enabled: can("events:read") }
  )
  const campaigns =
    useExtra(
      "GET /accounts/:accountId/campaigns",
      { params, query: { currentSince: timeAgo(newsMillis.unsubscribed), limit: maxListed } },
      { enabled: can("campaigns:read") }
    )?.items ?? []
  const standing = useExtra(
    "GET /accounts/:accountId/standing",
    { params },
    { enabled: can("stats:read") && mode === "live" }
  )
  // If the account's settings no longer require approval, requests for it are not shown.
  const approvals = campaigns
    .filter(
      ({ approval, status }) => approval.state === "Requested" && (status === "Draft" || status === "Paused")
    )
    .slice(0, maxCampaigns)
  const toCampaign = (campaignId: string) =>
    ({
      to: "/a/$accountId/campaigns/$campaignId",
      params: { accountId, campaignId },
      search: {}
    }) as const
  const isSince = (at: string, millis: number): boolean => now.getTime() - Date.parse(at) < millis
  const unsubscribed = campaigns.filter(
    ({ isUnsubscribingReported, statusAt }) =>
      isUnsubscribingReported && isSince(statusAt, newsMillis.unsubscribed)
  )
  const { ending, unused } = attentionKeys(keys ?? [], now)
  const toKey = (id: string) => ({ to: "/a/$accountId/developers", params, search: { shown: id } }) as const
  const counted = (
    count: number | undefined,
    text: (shown: string, count: number) => string,
    link: LinkProps
  ): ReadonlyArray<Concern> =>
    count === undefined || count === 0 ? [] : [{ text: text(format.number(count), count), link }]
  const limits =
    used === undefined
      ? []
      : ([
          [usage.contacts, used.contacts, used.limits.contactLimit],
          [usage.emails, used.emailsToday, used.limits.dailySendLimit]
        ] as const)
  return [
    ...(domains?.items ?? []).flatMap(({ domain, id, status }): ReadonlyArray<Concern> => {
      const link = { to: "/a/$accountId/domains/$domainId", params: { accountId, domainId: id } } as const
      if (status === "Failing") return [{ text: texts.domainFailing(domain), tone: "bad", link }]
      return status === "Pending" && mode === "live" ? [{ text: texts.domainPending(domain), link }] : []
    }),
    ...(webhooks?.items ?? []).flatMap(({ failuresInARow, id, status, url }): ReadonlyArray<Concern> => {
      const link = {
        to: "/a/$accountId/developers/webhooks/$webhookId",
        params: { accountId, webhookId: id }
      } as const
      if (status === "Stopped") return [{ text: texts.webhookStopped(url), tone: "bad", link }]
      const shown = format.number(failuresInARow)
      return failuresInARow === 0 ? [] : [{ text: texts.webhookFailing(url, shown, failuresInARow), link }]
    }),
    ...approvals.map(({ approval: { by }, id, name }) => ({
      text: texts.approvalRequested(name, by?.name ?? null),
      link: toCampaign(id)
    })),
    ...campaigns
      .filter(({ phase }) => phase === "Deciding")
      .map(({ id, name }) => ({ text: texts.campaignDeciding(name), link: toCampaign(id) })),
    ...campaigns
      .filter(({ id, status }) => status === "Paused" && !approvals.some((asked) => asked.id === id))
      .slice(0, maxCampaigns)
      .map(({ id, name }) => ({ text: texts.campaignPaused(name), link: toCampaign(id) })),
    ...unsubscribed.map(({ id, name, stats }) => ({
      text: texts.campaignUnsubscribed(name, format.number(stats.unsubscribed)),
      link: toCampaign(id)
    })),
    ...(standing === undefined || standing.state === "Good"
      ? []
      : [
          {
            text: standing.state === "Held" ? texts.standingHeld : texts.standingNotice,
            ...(standing.state === "Held" ? { tone: "bad" as const } : {}),
            link: { to: "/a/$accountId/domains/standing", params, search: {} } as const
          }
        ]),
    ...counted(held?.totalCount, texts.held, {
      to: "/a/$accountId/emails",
      params,
      search: { status: "PendingReview" }
    }),
    ...counted(retried?.totalCount, texts.retried, {
      to: "/a/$accountId/emails",
      params,
      search: { reason: "sending.retrying" }
    }),
    ...counted(events?.totalCount, texts.failedEvents, {
      to: "/a/$accountId/developers/events",
      params,
      search: { status: "Failed" }
    }),
    ...limits.flatMap(([name, count, limit]) =>
      limit === null || count < limit * nearLimit
        ? []
        : [
            {
              text: texts.nearLimit(name, format.number(count), format.number(limit)),
              link: { to: "/a/$accountId/settings", params } as const
            }
          ]
    ),
    ...ending.map(({ expiresAt, id, name }) => ({
      text: texts.keyExpires(name, format.relative(new Date(expiresAt), now)),
      link: toKey(id)
    })),
    ...unused.map(({ id, name }) => ({ text: texts.keyUnused(name), link: toKey(id) })),
    ...campaigns
      .filter(({ status, statusAt }) => status === "Sent" && isSince(statusAt, newsMillis.sent))
      .slice(0, maxCampaigns)
      .map(({ id, name, stats }) => ({
        text: texts.campaignSent(name, format.number(stats.submitted), stats.submitted),
        tone: "good" as const,
        link: toCampaign(id)
      }))
  ]
}

/** What requires attention in the installation, for operators. */
const useInstallationConcerns = (): ReadonlyArray<Concern> => {
  const { homeScreen: texts } = useTexts()
  const format = useFormat()
  const { operator } = useSession()
  const alerts = useExtra("GET /alerts", {}, { enabled: operator })
  const queues = useExtra("GET /queues", {}, { enabled: operator })
  const lanes = useExtra(
    "GET /shaping/notices",
    { query: { state: ["Open"], limit: 1, count: "exact" } },
    { enabled: operator }
  )
  const heldLanes = lanes?.totalCount ?? 0
  const buried = (queues?.queues ?? []).reduce((sum, queue) => sum + queue.buried, 0)
  return [
    ...(alerts?.items ?? [])
      .filter(({ state }) => state === "Firing")
      .map(({ name, summary }) => ({
        text: name,
        said: summary,
        tone: "bad" as const,
        link: { to: "/installation" } as const
      })),
    ...(heldLanes === 0
      ? []
      : [
          {
            text: texts.heldLanes(format.number(heldLanes), heldLanes),
            link: { to: "/installation/delivery", search: { state: "Open" } } as const
          }
        ]),
    ...(buried === 0
      ? []
      : [
          { text: texts.buried(format.number(buried), buried), link: { to: "/installation/queues" } as const }
        ])
  ]
}

/** The section of Home. */
export const Attention = () => {
  const { homeScreen: texts } = useTexts()
  const isReading = useIsFetching({ predicate: ({ meta }) => meta?.["isExtra"] === true }) > 0
  const concerns = [...useInstallationConcerns(), ...useConcerns()]
  return (
    <Section title={texts.attention}>
      {concerns.map(({ link, said, text, tone }) => (
        <Banner
          key={`${text} ${JSON.stringify(link.params)}`}
          tone={tone ?? "warning"}
          action={
            <ButtonLink isSmall {...link}>
              {texts.look}
            </ButtonLink>
          }
        >
          {text}
          {said !== undefined && (
            <>
              {": "}
              <Said text={said} />
            </>
          )}
        </Banner>
      ))}
      {concerns.length === 0 &&
        (isReading ? <LoadingLines count={2} /> : <p className={styles["soft"]}>{texts.allWell}</p>)}
    </Section>
  )
}
