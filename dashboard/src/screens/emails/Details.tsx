/**
 * The facts of an email: what sent it, and the data its sender attached.
 *
 * @module
 */
import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useExtra } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { Card, Facts, Section } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { Copied } from "../../parts/show/Code.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import styles from "./Emails.module.css"
import type { EmailDetail } from "./timeline.ts"

const Named = ({ values }: { readonly values: Readonly<Record<string, string>> }) => (
  <span className={styles["tags"]}>
    {Object.entries(values).map(([name, value]) => (
      <Badge key={name}>{`${name}: ${value}`}</Badge>
    ))}
  </span>
)

/** What sent an email, with its name if the user may read it. */
const Origin = ({
  email: { campaignId, flowId, keyId, runId, source }
}: {
  readonly email: Pick<EmailDetail, "campaignId" | "flowId" | "keyId" | "runId" | "source">
}) => {
  const { mail } = useTexts()
  const { can, id: accountId } = useAccount()
  const flow = useExtra(
    "GET /accounts/:accountId/flows/:id",
    { params: { accountId, id: flowId ?? "" } },
    { enabled: flowId !== null && can("flows:read") }
  )
  const campaign = useExtra(
    "GET /accounts/:accountId/campaigns/:id",
    { params: { accountId, id: campaignId ?? "" } },
    { enabled: campaignId !== null && can("campaigns:read") }
  )
  const keys = useExtra(
    "GET /accounts/:accountId/api-keys",
    { params: { accountId } },
    { enabled: keyId !== null && can("keys:read") }
  )
  const name = (): ReactNode => {
    if (flowId !== null && flow !== undefined)
      return (
        <Link
          className={styles["link"]}
          to="/a/$accountId/flows/$flowId"
          params={{ accountId, flowId }}
          search={runId === null ? {} : { run: runId }}
        >
          <bdi>{flow.name}</bdi>
        </Link>
      )
    if (campaignId !== null && campaign !== undefined)
      return (
        <Link
          className={styles["link"]}
          to="/a/$accountId/campaigns/$campaignId"
          params={{ accountId, campaignId }}
        >
          <bdi>{campaign.name}</bdi>
        </Link>
      )
    const key = keys?.find(({ id }) => id === keyId)
    return key === undefined ? null : (
      <Link
        className={styles["link"]}
        to="/a/$accountId/developers"
        params={{ accountId }}
        search={{ shown: key.id }}
      >
        <bdi>{key.name}</bdi>
      </Link>
    )
  }
  const named = name()
  return (
    <>
      {mail.sources[source]}
      {named !== null && ": "}
      {named}
    </>
  )
}

/** The facts. */
export const Details = ({ email }: { readonly email: EmailDetail }) => {
  const { can, id: accountId } = useAccount()
  const { domains, emails: texts, mail, templates } = useTexts()
  const format = useFormat()
  const { createdAt, from, id, idempotencyKey, metadata, sendAt, tags, templateId, templateVersion } = email
  const template = useExtra(
    "GET /accounts/:accountId/templates/:id",
    { params: { accountId, id: templateId ?? "" } },
    { enabled: templateId !== null && can("templates:read") }
  )
  return (
    <Section title={texts.details}>
      <Card>
        <Facts
          facts={[
            [texts.submitted, <RelativeTime key="at" at={createdAt} form="moment" />],
            sendAt === null ? null : [texts.scheduled, <RelativeTime key="at" at={sendAt} form="moment" />],
            [mail.source, <Origin key="origin" email={email} />],
            [
              texts.from,
              from === null
                ? domains.defaultSender
                : from.name === null
                  ? from.email
                  : `${from.name} <${from.email}>`
            ],
            templateId === null || template === undefined
              ? null
              : [
                  texts.template,
                  <span key="template">
                    <Link
                      className={styles["link"]}
                      to="/a/$accountId/templates/$templateId"
                      params={{ accountId, templateId }}
                    >
                      <bdi>{template.name}</bdi>
                    </Link>
                    {templateVersion !== null && `, ${templates.version(format.number(templateVersion))}`}
                  </span>
                ],
            Object.keys(tags).length === 0 ? null : [texts.tags, <Named key="tags" values={tags} />],
            Object.keys(metadata).length === 0
              ? null
              : [texts.metadata, <Named key="metadata" values={metadata} />],
            idempotencyKey === null
              ? null
              : [mail.idempotencyKey, <Copied key="key">{idempotencyKey}</Copied>],
            [texts.id, <Copied key="id">{id}</Copied>]
          ]}
        />
      </Card>
    </Section>
  )
}
