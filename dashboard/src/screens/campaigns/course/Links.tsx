/**
 * The clicks of a campaign by link, as a table and on top of the email.
 *
 * @module
 */
import { useState } from "react"
import { useQuery } from "@tanstack/react-query"
import { call, type ValueOf } from "../../../api/call.ts"
import type { ApiError } from "../../../api/errors.ts"
import { useApi } from "../../../api/queries.ts"
import { useFormat } from "../../../app/reader.tsx"
import { useAccount } from "../../../app/session.ts"
import { markedLinks } from "../../../lib/campaigns/links.ts"
import { Button } from "../../../parts/form/Button.tsx"
import { Dialog } from "../../../parts/overlay/Dialog.tsx"
import { Loaded } from "../../../parts/page/Loaded.tsx"
import { Nothing } from "../../../parts/page/Columns.tsx"
import { Section } from "../../../parts/page/Page.tsx"
import { Table } from "../../../parts/show/Table.tsx"
import { useCampaignTexts } from "../../../texts/campaigns/useCampaignTexts.ts"
import styles from "../editor/Editor.module.css"
import type { Campaign } from "../states.ts"

const linksRoute = "GET /accounts/:accountId/campaigns/:id/links"
const versionRoute = "GET /accounts/:accountId/campaigns/:id/versions/:version"
const previewRoute = "POST /accounts/:accountId/templates/preview"

type Link = ValueOf<typeof linksRoute>[number]

/** How often the clicks are refreshed while the campaign is being sent, in milliseconds. */
const renewMillis = 10_000

/** The HTML of a variant in a version. */
const htmlOf = ({ html, parts }: ValueOf<typeof versionRoute>, variant: string | null): string | null => {
  const known = parts as ReadonlyArray<{ readonly variant?: string | null; readonly html?: string | null }>
  return known.find((part) => (part.variant ?? null) === variant)?.html ?? html
}

/** The email, with the clicks shown at its links. */
const Shown = ({
  accountId,
  campaign: { id, name, version },
  links,
  onClose,
  variant
}: {
  readonly accountId: string
  readonly campaign: Campaign
  readonly links: ReadonlyArray<Link>
  readonly variant: string | null
  readonly onClose: () => void
}) => {
  const { links: texts } = useCampaignTexts()
  const format = useFormat()
  const query = useQuery<ValueOf<typeof previewRoute> | null, ApiError>({
    queryKey: [linksRoute, "shown", accountId, id, version, variant, links],
    queryFn: async ({ signal }) => {
      const params = { accountId, id, version: String(version) }
      const found = await call(versionRoute, { params }, { signal })
      const html = htmlOf(found, variant)
      if (html === null) return null
      const marks = markedLinks(
        links.map(({ number, people, url }) => ({
          number,
          url,
          label: format.number(people.human + people.unknown)
        }))
      )
      const body = { subject: found.subject, html: `${html}${marks}`, variables: { campaign: { id, name } } }
      return call(previewRoute, { params: { accountId }, body }, { signal })
    },
    // The frame's URL expires after some minutes.
    gcTime: 60_000
  })
  return (
    <Dialog isOpen isWide onClose={onClose} title={texts.shown} text={texts.shownText}>
      <Loaded query={query}>
        {(rendered) =>
          rendered?.frameUrl == null ? (
            <Nothing>{texts.noHtml}</Nothing>
          ) : (
            // The frame is sandboxed: no scripts run in it, and its origin is opaque.
            <iframe
              title={texts.shown}
              sandbox="allow-popups allow-popups-to-escape-sandbox"
              referrerPolicy="no-referrer"
              className={styles["frame"]}
              src={rendered.frameUrl}
            />
          )
        }
      </Loaded>
    </Dialog>
  )
}

/** The section; nothing if the campaign has no tracked links. */
export const Links = ({
  accountId,
  campaign
}: {
  readonly accountId: string
  readonly campaign: Campaign
}) => {
  const { links: texts, test } = useCampaignTexts()
  const format = useFormat()
  const { can } = useAccount()
  const [open, setOpen] = useState<{ readonly variant: string | null } | null>(null)
  const query = useApi(
    linksRoute,
    { params: { accountId, id: campaign.id } },
    campaign.status === "Sending" ? { refetchInterval: renewMillis } : {}
  )
  if (query.data?.length === 0) return null
  const variants = [...new Set((query.data ?? []).map(({ variantId }) => variantId))]
  return (
    <Section
      title={texts.title}
      actions={
        can("templates:read") &&
        variants.map((variant) => (
          <Button key={variant} isSmall onClick={() => setOpen({ variant })}>
            {variant === null ? texts.show : `${texts.show}: ${test.variant(variant, null)}`}
          </Button>
        ))
      }
    >
      <Loaded query={query}>
        {(links) => (
          <Table
            label={texts.title}
            rows={links}
            keyOf={({ number, variantId }) => `${variantId} ${number}`}
            columns={[
              {
                key: "link",
                head: texts.link,
                cell: ({ number, url, variantId }) => (
                  <span className={styles["link"]} title={url ?? undefined}>
                    {variantId !== null && `${variantId.toUpperCase()} `}
                    {number !== null && `${format.number(number)}: `}
                    <bdi>{url ?? texts.own}</bdi>
                  </span>
                )
              },
              {
                key: "human",
                head: texts.human,
                isEnd: true,
                cell: ({ people }) => format.number(people.human)
              },
              {
                key: "unknown",
                head: texts.unknown,
                isEnd: true,
                cell: ({ people }) => format.number(people.unknown)
              },
              {
                key: "machine",
                head: texts.machine,
                isEnd: true,
                cell: ({ people }) => format.number(people.machine)
              },
              { key: "clicks", head: texts.clicks, isEnd: true, cell: ({ clicks }) => format.number(clicks) }
            ]}
          />
        )}
      </Loaded>
      {open !== null && (
        <Shown
          accountId={accountId}
          campaign={campaign}
          links={(query.data ?? []).filter(({ variantId }) => variantId === open.variant)}
          variant={open.variant}
          onClose={() => setOpen(null)}
        />
      )}
    </Section>
  )
}
