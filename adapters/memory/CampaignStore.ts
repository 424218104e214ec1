/**
 * Stores campaigns in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import {
  awaitsApproval,
  isCurrent,
  namesOfEmail,
  namesOfRecipient,
  namesOfVisits
} from "../../core/campaigns/CampaignRules.ts"
import {
  type Breakdown,
  CampaignStore,
  type CampaignVersionRef,
  type LinkCount,
  type RecipientFilter,
  type RecipientLink,
  type VariantCount
} from "../../core/ports/CampaignStore.ts"
import {
  type Campaign,
  type CampaignDefinition,
  type CampaignRecipient,
  clockReasons,
  isNaming
} from "../../core/model/Campaign.ts"
import type { Delivery } from "../../core/model/Submission.ts"
import {
  bestVerdict,
  clickedBy,
  type DeliveryVisits,
  noVisits,
  openedBy,
  type VisitedBy,
  type VisitVerdict
} from "../../core/model/Visit.ts"
import { domainOfAddress } from "../../core/shared/EmailAddress.ts"
import { foldCase, formatDateTime } from "../../core/shared/Validate.ts"
import { type Among, comparePlaces, pageByText, pageOfAll, placeBy } from "../../core/shared/Page.ts"
import { Database } from "./engine/Database.ts"
import { all, compareText, lowerBound } from "./engine/SortedIndex.ts"
import { frozen } from "./engine/Table.ts"
import { CampaignTables, partKey, recipientKey, type RecipientRow } from "./tables/CampaignTables.ts"
import { AttemptTables } from "./tables/AttemptTables.ts"
import { AudienceTables } from "./tables/AudienceTables.ts"
import { ConversionTables } from "./tables/ConversionTables.ts"
import { SubmissionTables } from "./tables/SubmissionTables.ts"
import { keyOf, VisitTables } from "./tables/VisitTables.ts"

const isAmong = <Value>(values: Among<Value> | undefined, value: Value | null): boolean =>
  (values ?? null) === null || (value !== null && values!.includes(value))

const toRecipient = ({ addressHash: _hash, country: _country, part: _part, ...recipient }: RecipientRow) =>
  recipient

/** The strings in which a list searches, in lower case. */
const textsOf = ({ content }: CampaignDefinition, name: string): ReadonlyArray<string> =>
  [name, content !== null && "subject" in content ? content.subject : ""].map((text) => text.toLowerCase())

/** An email of a campaign, with its recipient and its visits. */
interface CountedCampaignEmail {
  readonly recipient: RecipientRow
  readonly delivery: Delivery
  readonly visits: DeliveryVisits
  /** When the email was submitted, in epoch milliseconds, and in which language. */
  readonly createdAt: number
  readonly language: string | null
}

const isDelivered = ({ status }: Delivery): boolean =>
  status === "Delivered" || status === "Sent" || status === "Accepted"

const keyBy: Readonly<Record<Breakdown, (email: CountedCampaignEmail) => string | null>> = {
  Variant: ({ recipient }) => recipient.variant,
  Version: ({ recipient }) => String(recipient.version),
  Language: ({ language }) => language,
  Provider: ({ delivery }) => delivery.provider,
  Domain: ({ delivery: { email } }) => email.slice(email.lastIndexOf("@") + 1) || null,
  Country: ({ recipient }) => recipient.country,
  Hour: ({ createdAt }) => `${formatDateTime(createdAt).slice(0, 13)}:00:00Z`,
  Day: ({ createdAt }) => formatDateTime(createdAt).slice(0, 10)
}

/** Whether a pending recipient may be waiting for a time of day. */
const isByClock = ({ reason }: Pick<CampaignRecipient, "reason">): boolean =>
  reason === null || clockReasons.includes(reason)

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const { accountIds, of: tablesOf } = yield* CampaignTables
  const { of: submissionsOf } = yield* SubmissionTables

  const { of: conversionsOf } = yield* ConversionTables
  const { of: attemptsOf } = yield* AttemptTables
  const { of: audienceOf } = yield* AudienceTables
  const { table: visitsOf } = yield* VisitTables

  const visitsFor = (accountId: string, deliveryId: string): DeliveryVisits =>
    visitsOf.get(keyOf({ accountId, id: deliveryId })) ?? noVisits(accountId, deliveryId)

  /** The emails of a campaign. */
  const emailsOf = (accountId: string, id: string): ReadonlyArray<CountedCampaignEmail> =>
    tablesOf(accountId)
      .ofCampaign.rows(id)
      .flatMap((recipient) => {
        const { deliveries, submissions } = submissionsOf(accountId)
        const row = deliveries.get(recipient.deliveryId ?? "")
        if (row === undefined) return []
        const { createdAt, delivery } = row
        const language = submissions.get(delivery.submissionId)?.language ?? null
        return [{ recipient, delivery, createdAt, language, visits: visitsFor(accountId, row.id) }]
      })

  /** Whether a recipient passes a filter. */
  const isListed = (accountId: string, row: RecipientRow, filter: RecipientFilter): boolean => {
    const { clicked = null, isConverted = null, isUnsubscribed = null, links = null, opened = null } = filter
    const { q = null, reason, state, status, variant, version } = filter
    if (!isAmong(state, row.state) || !isAmong(reason, row.reason)) return false
    if (!isAmong(variant, row.variant) || !isAmong(version, row.version)) return false
    if (q !== null) {
      const email = audienceOf(accountId).contacts.get(row.contactId)?.email ?? null
      if (email?.startsWith(q) !== true) return false
    }
    const isOfEmail = [clicked, isConverted, isUnsubscribed, links, opened, status ?? null].some(
      (given) => given !== null
    )
    if (!isOfEmail) return true
    const email = submissionsOf(accountId).deliveries.get(row.deliveryId ?? "")?.delivery
    if (email === undefined) return false
    const visits = visitsFor(accountId, email.id)
    const converted = conversionsOf(accountId).ofDelivery.rows(email.id).length > 0
    const isClicked = ({ link, variant: of, version: number }: RecipientLink) =>
      number === row.version && of === row.variant && visits.links[link] !== undefined
    return (
      isAmong(status, email.status) &&
      isAmong(opened, openedBy(visits)) &&
      isAmong(clicked, clickedBy(visits)) &&
      (isConverted === null || isConverted === converted) &&
      (isUnsubscribed === null || isUnsubscribed === (email.unsubscribedAt !== null)) &&
      (links === null || links.some(isClicked))
    )
  }

  const get = (accountId: string, id: string) => tablesOf(accountId).campaigns.get(id) ?? null
  const always = { after: -Infinity, before: Infinity }
  const versionKey = (campaignId: string, version: number) => `${campaignId} ${version}`
  const versionsOf = (refs: ReadonlyArray<CampaignVersionRef>) => [
    ...new Set(
      refs.flatMap(
        ({ accountId, campaignId, version }) =>
          tablesOf(accountId).versions.get(versionKey(campaignId, version)) ?? []
      )
    )
  ]

  return CampaignStore.of({
    insert: (added) =>
      Effect.asVoid(database.write(() => tablesOf(added.accountId).campaigns.insert(frozen(added)))),
    find: (accountId, ids) => database.read(() => tablesOf(accountId).campaigns.getMany(ids)),
    lock: (accountId, id) => database.read(() => get(accountId, id)),
    save: (changed) =>
      Effect.asVoid(
        database.write(() => {
          if (get(changed.accountId, changed.id) !== null) {
            tablesOf(changed.accountId).campaigns.replace(frozen(changed))
          }
        })
      ),
    remove: (accountId, id) =>
      database.write(() => {
        const { campaigns, counts, ofCampaign, progress, recipients, versions } = tablesOf(accountId)
        recipients.removeMany(ofCampaign.rows(id).map(({ contactId }) => recipientKey(id, contactId)))
        versions.removeWhere(({ campaignId }) => campaignId === id, Infinity)
        progress.remove(id)
        campaigns.remove(id)
        counts.delete(id)
      }),
    list: (
      accountId,
      {
        currentSince = null,
        isApprovalRequested = false,
        isArchived = null,
        q = null,
        segment = null,
        since,
        status,
        tag = null,
        topic = null,
        until
      },
      page
    ) =>
      database.read(() => {
        const found = tablesOf(accountId)
          .order.rows(all)
          .filter(
            ({ createdAt, definition, name, ...campaign }) =>
              isAmong(status, campaign.status) &&
              (!isApprovalRequested || awaitsApproval(campaign)) &&
              (currentSince === null || isCurrent(campaign, currentSince)) &&
              (isArchived === null || definition.isArchived === isArchived) &&
              (tag === null || definition.tags.some((one) => tag.includes(one))) &&
              (topic === null || (definition.topic !== null && topic.includes(definition.topic))) &&
              (segment === null || definition.audience.segments.some((one) => segment.includes(one))) &&
              (q === null || textsOf(definition, name).some((text) => text.includes(q.toLowerCase()))) &&
              createdAt >= (since ?? -Infinity) &&
              createdAt < (until ?? Infinity)
          )
        const by = page.sort?.by
        if (by === "name") return pageByText(found, page, ({ name }) => foldCase(name))
        if (by !== "updated" && by !== "started") return pageOfAll(found, page, placeBy("createdAt"))
        const placeOf = ({ id, startAt, updatedAt }: Campaign) => [
          by === "updated" ? updatedAt : (startAt ?? 0),
          id
        ]
        return pageOfAll(
          found.toSorted((a, b) => comparePlaces(placeOf(a), placeOf(b))),
          page,
          placeOf
        )
      }),
    count: (accountId, status) =>
      database.read(
        () =>
          tablesOf(accountId)
            .order.rows(all)
            .filter((campaign) => status === null || campaign.status === status).length
      ),
    bySlug: (accountId, slug) =>
      database.read(
        () =>
          tablesOf(accountId)
            .order.rows(all)
            .find(({ definition }) => definition.archive.slug === slug) ?? null
      ),
    archived: (accountId, limit, offset) =>
      database.read(() =>
        tablesOf(accountId)
          .order.rows(all)
          .filter(({ definition, status }) => status === "Sent" && definition.archive.public)
          .toSorted((a, b) => (b.startAt ?? 0) - (a.startAt ?? 0) || compareText(b.id, a.id))
          .slice(offset, offset + limit)
      ),
    inStatus: (accountId, statuses, limit, { after, before } = always) =>
      database.read(() =>
        tablesOf(accountId)
          .order.rows(all)
          .filter(({ startAt, status, statusAt }) => {
            const at = startAt ?? statusAt
            return statuses.includes(status) && at > after && at < before
          })
          .toReversed()
          .slice(0, limit)
      ),
    uses: (accountId, statuses, named, limit) =>
      database.read(() =>
        tablesOf(accountId)
          .order.rows(all)
          .filter(
            (campaign) => statuses.includes(campaign.status) && (named === null || isNaming(campaign, named))
          )
          .slice(0, limit)
          .map(({ id, name, status }) => ({ id, name, status }))
      ),
    withWaiting: (accountId, reason) =>
      database.read(() =>
        (accountId === null ? [...accountIds] : [accountId]).flatMap((account) => {
          const { counts, order, pending } = tablesOf(account)
          const hasWaiting = (id: string) =>
            reason === null
              ? pending.rows(id).some((row) => row.reason === null)
              : counts.get(id)?.has(`p:${reason}`) === true
          return order
            .rows(all)
            .filter(({ id, status }) => (status === "Sending" || status === "Paused") && hasWaiting(id))
            .map(({ id }) => ({ accountId: account, id }))
        })
      ),
    addVersion: (added) =>
      Effect.asVoid(database.write(() => tablesOf(added.accountId).versions.insert(frozen(added)))),
    versions: (refs) => database.read(() => versionsOf(refs)),
    subjects: (refs) =>
      database.read(() =>
        versionsOf(refs).map(({ campaignId, parts, subject, version }) => ({
          campaignId,
          version,
          subject,
          parts:
            parts?.map((part) => ({
              variant: part.variant,
              language: part.language,
              subject: part.subject
            })) ?? null
        }))
      ),
    statuses: (refs) =>
      database.read(
        () =>
          new Map(
            refs.flatMap(({ accountId, id }) => {
              const campaign = get(accountId, id)
              return campaign === null ? [] : [[`${accountId}/${id}`, campaign.status] as const]
            })
          )
      ),
    lockBatch: (accountId, id, now) =>
      database.write(() => {
        const campaign = get(accountId, id)
        if (campaign === null) return null
        const { progress } = tablesOf(accountId)
        const found =
          progress.get(id) ??
          progress.insert({
            accountId,
            campaignId: id,
            asOf: null,
            segments: null,
            position: null,
            isComplete: false,
            pacedAt: null,
            recent: null,
            updatedAt: now
          })
        return { campaign, progress: found }
      }),
    lockShared: (accountId, id) => database.read(() => get(accountId, id)),
    progress: (accountId, id) => database.read(() => tablesOf(accountId).progress.get(id) ?? null),
    saveProgress: (changed) =>
      Effect.asVoid(database.write(() => tablesOf(changed.accountId).progress.replace(frozen(changed)))),
    due: (accountId, id, part, now, limit) =>
      database.read(() => {
        const { pending, pendingOfPart } = tablesOf(accountId)
        const rows = part === null ? pending.rows(id) : pendingOfPart.rows(partKey(id, part))
        const end = lowerBound(rows, (row) => (row.dueAt <= now ? -1 : 1))
        return rows.slice(0, Math.min(end, limit)).map(toRecipient)
      }),
    lockDue: (accountId, id, contactIds, now) =>
      database.read(() => {
        const { recipients } = tablesOf(accountId)
        return recipients
          .getMany(contactIds.map((contactId) => recipientKey(id, contactId)))
          .filter(({ dueAt, state }) => state === "Pending" && dueAt <= now)
          .toSorted((a, b) => a.dueAt - b.dueAt || compareText(a.contactId, b.contactId))
          .map(toRecipient)
      }),
    waitingByClock: (accountId, id, after, now, limit) =>
      database.read(() =>
        tablesOf(accountId)
          .pending.rows(id)
          .filter((row) => isByClock(row) && row.dueAt > now && (after === null || row.contactId > after))
          .toSorted((a, b) => compareText(a.contactId, b.contactId))
          .slice(0, limit)
          .map(toRecipient)
      ),
    nextDueAt: (accountId, id) => database.read(() => tablesOf(accountId).pending.rows(id)[0]?.dueAt ?? null),
    nextDueBy: (accountId, id, reasons) =>
      database.read(() => {
        const rows = tablesOf(accountId).pending.rows(id)
        return new Map(
          reasons.flatMap((reason) => {
            const found = rows.find((row) => row.reason === reason)
            return found === undefined ? [] : [[reason, found.dueAt] as const]
          })
        )
      }),
    takenHashes: (accountId, id, hashes) =>
      database.read(() =>
        [...new Set(hashes)].filter(
          (hash) =>
            tablesOf(accountId).recipients.by("campaign_recipients_address", `${id} ${hash}`) !== undefined
        )
      ),
    decide: (accountId, id, decisions, now) =>
      database.writeOrConflict(() => {
        const { recipients } = tablesOf(accountId)
        const { contacts } = audienceOf(accountId)
        return decisions.flatMap(({ heldSince, ...decision }) => {
          const row = recipients.get(recipientKey(id, decision.contactId))
          if (row?.state !== "Pending") return []
          recipients.replace({
            ...row,
            ...decision,
            movedAt: null,
            country: contacts.get(decision.contactId)?.countryCode ?? null,
            decidedAt: decision.state === "Pending" ? heldSince : now
          })
          return [decision.contactId]
        })
      }),
    release: (accountId, id, { reason: released, variant }, limit, now) =>
      database.write(() => {
        const { pending, recipients } = tablesOf(accountId)
        const found = pending
          .rows(id)
          .filter(({ reason }) => reason === released)
          .slice(-limit)
        for (const row of found) {
          recipients.replace({ ...row, dueAt: now, reason: null, variant: variant ?? row.variant })
        }
        return found.length
      }),
    retry: (accountId, id, { isUnrendered, reasons }, after, limit, now) =>
      database.write(() => {
        const { ofCampaign, recipients } = tablesOf(accountId)
        const { deliveries } = submissionsOf(accountId)
        const isAgain = (reason: string | null) => reasons.some((one) => one === reason)
        const isChosen = ({ contactId, deliveryId, reason, state }: RecipientRow): boolean => {
          if (after !== null && contactId <= after) return false
          if (isUnrendered && state === "Skipped" && reason === "campaigns.render_failed") return true
          const email = deliveries.get(deliveryId ?? "")?.delivery
          return (
            (state === "Submitted" && email?.status === "Failed" && isAgain(email.reason)) ||
            (state === "Skipped" && isAgain(reason))
          )
        }
        const chosen = ofCampaign.rows(id).filter(isChosen).slice(0, limit)
        for (const row of chosen) {
          const email = deliveries.get(row.deliveryId ?? "")
          if (email !== undefined) deliveries.replace({ ...email, campaignId: null })
          recipients.replace({
            ...row,
            state: "Pending",
            reason: null,
            dueAt: now,
            version: null,
            deliveryId: null,
            addressHash: null,
            decidedAt: null,
            renderError: null
          })
        }
        return { count: chosen.length, last: chosen.at(-1)?.contactId ?? null }
      }),
    testedAt: (accountId, id) =>
      database.read(() => {
        const times = emailsOf(accountId, id).flatMap(({ delivery, recipient }) => {
          const attempts = attemptsOf(accountId).ofDelivery.rows(delivery.id)
          const first = attempts.find(({ outcome }) => outcome !== "Held")
          return recipient.variant === null || first === undefined ? [] : [first.finishedAt]
        })
        return times.length === 0 ? null : times.reduce((a, b) => Math.max(a, b))
      }),
    variantResults: (accountId, id, metric, until) =>
      database.read(() => {
        const isBefore = (at: number | null) => at !== null && at < until
        const orders = conversionsOf(accountId)
          .ofCampaign.rows(id)
          .filter(({ orderedAt }) => isBefore(orderedAt))
        const converted = new Set(orders.map(({ deliveryId }) => deliveryId))
        const isReached: Readonly<Record<typeof metric, (email: CountedCampaignEmail) => boolean>> = {
          Opens: ({ visits }) => isBefore(visits.readerOpenedAt),
          Clicks: ({ visits }) => isBefore(visits.readerClickedAt),
          Conversions: ({ delivery }) => converted.has(delivery.id)
        }
        const emails = emailsOf(accountId, id).filter(
          ({ delivery, recipient }) => recipient.variant !== null && isDelivered(delivery)
        )
        const counts = [...Map.groupBy(emails, ({ recipient }) => recipient.variant!)].map(
          ([variant, group]): VariantCount => ({
            variant,
            delivered: group.length,
            reached: group.filter((email) => isReached[metric](email)).length
          })
        )
        return counts.toSorted((a, b) => compareText(a.variant, b.variant))
      }),
    breakdown: (accountId, id, by, limit) =>
      database.read(() => {
        const groups = Map.groupBy(emailsOf(accountId, id), keyBy[by])
        const rows = [...groups].map(([key, group]) => {
          const of = (test: (email: CountedCampaignEmail) => boolean) => group.filter(test).length
          const opened = (who: VisitedBy) => of(({ visits }) => openedBy(visits) === who)
          const clicked = (who: VisitedBy) => of(({ visits }) => clickedBy(visits) === who)
          return {
            key,
            submitted: group.length,
            delivered: of(({ delivery }) => isDelivered(delivery)),
            retrying: of(({ delivery: { attempts, status } }) => status === "Queued" && attempts > 0),
            bounced: of(({ delivery }) => delivery.status === "Bounced"),
            failed: of(({ delivery }) => delivery.status === "Failed"),
            complained: of(({ delivery }) => delivery.complainedAt !== null),
            unsubscribed: of(({ delivery }) => delivery.unsubscribedAt !== null),
            openedHuman: opened("Human"),
            openedUnknown: opened("Unknown"),
            openedMachine: opened("Machine"),
            clickedHuman: clicked("Human"),
            clickedUnknown: clicked("Unknown"),
            clickedMachine: clicked("Machine")
          }
        })
        return rows
          .toSorted(
            (a, b) => b.submitted - a.submitted || compareText(a.key ?? "\u{10ffff}", b.key ?? "\u{10ffff}")
          )
          .slice(0, limit)
      }),
    linkClicks: (accountId, id, limit) =>
      database.read(() => {
        const clicked = emailsOf(accountId, id).flatMap(({ recipient: { variant, version }, visits }) =>
          Object.entries(visits.links).map(([link, one]) => ({ ...one, link, variant, version: version! }))
        )
        const groups = Map.groupBy(clicked, ({ link, variant, version }) => `${version} ${variant} ${link}`)
        const counts = [...groups.values()].map((group): LinkCount => {
          const { link, variant, version } = group[0]!
          const of = (who: VisitVerdict) => group.filter(({ clicks }) => bestVerdict(clicks) === who).length
          return {
            version,
            variant,
            link,
            human: of("Human"),
            unknown: of("Unknown"),
            machine: of("Machine"),
            clicks: group.reduce(
              (sum, { clicks: { Human, Machine, Unknown } }) => sum + Human + Machine + Unknown,
              0
            ),
            firstAt: Math.min(...group.map(({ firstAt }) => firstAt)),
            lastAt: Math.max(...group.map(({ lastAt }) => lastAt))
          }
        })
        return counts
          .toSorted(
            (a, b) =>
              b.clicks - a.clicks ||
              compareText(a.link, b.link) ||
              a.version - b.version ||
              compareText(a.variant ?? "", b.variant ?? "")
          )
          .slice(0, limit)
      }),
    cancelPending: (accountId, id, limit, now) =>
      database.write(() => {
        const { pending, recipients } = tablesOf(accountId)
        const found = pending.rows(id).slice(0, limit)
        for (const row of found) {
          recipients.replace({ ...row, state: "Cancelled", reason: "sending.cancelled", decidedAt: now })
        }
        return found.length
      }),
    queued: (accountId, id, reason, after, limit) =>
      database.read(() => {
        const rows = tablesOf(accountId)
          .queued.rows(id)
          .filter(({ delivery }) => reason === null || delivery.reason === reason)
        const isBefore = ({ delivery, id: own }: (typeof rows)[number]) =>
          after !== null && (delivery.attempts - after.attempts || compareText(own, after.id)) <= 0
        const found = lowerBound(rows, (row) => (isBefore(row) ? -1 : 1))
        return rows.slice(found, found + limit).map(({ delivery }) => delivery)
      }),
    untriedByDomain: (accountId, id) =>
      database.read(() => {
        const domains = [...submissionsOf(accountId).deliveries.rows()].flatMap(({ campaignId, delivery }) =>
          campaignId === id && namesOfEmail(delivery).includes("d:untried")
            ? [domainOfAddress(delivery.email)]
            : []
        )
        return new Map(
          [...Map.groupBy(domains, (domain) => domain)].map(([domain, of]) => [domain, of.length])
        )
      }),
    inReview: (accountId, id, limit) =>
      database.read(() =>
        tablesOf(accountId)
          .inReview.rows(id)
          .slice(0, limit)
          .map(({ delivery }) => delivery)
      ),
    counts: (accountId, ids) =>
      database.read(() => ids.map((id) => new Map(tablesOf(accountId).counts.get(id) ?? []))),
    recount: (accountId, id) =>
      database.read(() => {
        const names = [
          ...tablesOf(accountId)
            .ofCampaign.rows(id)
            .flatMap(({ reason, state }) => namesOfRecipient(state, reason)),
          ...[...submissionsOf(accountId).deliveries.rows()].flatMap(({ campaignId, delivery }) =>
            campaignId === id ? namesOfEmail(delivery) : []
          ),
          ...[...visitsOf.rows()].flatMap((visits) =>
            visits.accountId === accountId && visits.campaignId === id ? namesOfVisits(visits) : []
          )
        ]
        return new Map([...Map.groupBy(names, (name) => name)].map(([name, group]) => [name, group.length]))
      }),
    // Nothing to do, because counts are added up as rows change.
    compact: () => Effect.void,
    recipients: (accountId, id, filter, page) =>
      database.read(() => {
        const found = tablesOf(accountId)
          .ofCampaign.rows(id)
          .filter((row) => isListed(accountId, row, filter))
          .map(toRecipient)
        return pageOfAll(found, page, ({ contactId }) => [contactId])
      }),
    results: (accountId, deliveryIds) =>
      database.read(() =>
        [...new Set(deliveryIds)].flatMap((deliveryId) => {
          const visits = visitsFor(accountId, deliveryId)
          const conversions = conversionsOf(accountId).ofDelivery.rows(deliveryId).length
          const result = {
            deliveryId,
            openedBy: openedBy(visits),
            clickedBy: clickedBy(visits),
            links: Object.keys(visits.links),
            conversions
          }
          return result.openedBy === "None" && result.clickedBy === "None" && conversions === 0
            ? []
            : [result]
        })
      ),
    recipient: (accountId, id, contactId) =>
      database.read(() => {
        const row = tablesOf(accountId).recipients.get(recipientKey(id, contactId))
        return row === undefined ? null : toRecipient(row)
      }),
    reconsider: (accountId, contactIds, now) =>
      database.write(() => {
        const { ofContact, recipients } = tablesOf(accountId)
        for (const row of contactIds.flatMap((contactId) => ofContact.rows(contactId))) {
          const { dueAt, reason, state } = row
          if (state !== "Pending" || !isByClock(row) || dueAt <= now) continue
          recipients.replace({ ...row, dueAt: now, movedAt: reason === null ? now : null })
        }
      }),
    erase: (accountId, contactIds) =>
      database.write(() => {
        const { ofContact, recipients } = tablesOf(accountId)
        recipients.removeMany(
          contactIds.flatMap((contactId) =>
            ofContact.rows(contactId).map(({ campaignId }) => recipientKey(campaignId, contactId))
          )
        )
      })
  })
}).pipe(Layer.effect(CampaignStore))
