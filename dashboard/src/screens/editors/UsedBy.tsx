/**
 * Lists the flows, campaigns and templates that use something.
 *
 * @module
 */
import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import type { ValueOf } from "../../api/call.ts"
import { useFormat } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { Entry, Nothing, Rows } from "../../parts/page/Columns.tsx"
import { Card } from "../../parts/page/Page.tsx"
import { useCampaignTexts } from "../../texts/campaigns/useCampaignTexts.ts"
import { useEditorTexts } from "../../texts/editors/useEditorTexts.ts"

type Usage = ValueOf<"GET /accounts/:accountId/segments/:id/usage">

/** Says how many flows and campaigns use something. */
export const useUsedByText = (): ((usage: Pick<Usage, "campaigns" | "flows">) => string) => {
  const { usedBy } = useEditorTexts()
  const format = useFormat()
  return ({ campaigns, flows }) =>
    usedBy(format.number(flows.length), flows.length, format.number(campaigns.length), campaigns.length)
}

interface TemplateUse {
  readonly id: string
  readonly name: string
  /** How it is used; null if that is obvious. */
  readonly text: string | null
}

const noTemplates: ReadonlyArray<TemplateUse> = []

/** The list. */
export const UsedBy = ({
  none,
  templates = noTemplates,
  usage: { campaigns, flows }
}: {
  readonly usage: Pick<Usage, "campaigns" | "flows">
  readonly templates?: ReadonlyArray<TemplateUse>
  /** Shown if nothing uses it. */
  readonly none: ReactNode
}) => {
  const { template: texts } = useEditorTexts()
  const words = useCampaignTexts()
  const { id: accountId } = useAccount()
  return (
    <Card isFlush>
      {templates.length + flows.length + campaigns.length === 0 ? (
        <Nothing>{none}</Nothing>
      ) : (
        <Rows>
          {templates.map(({ id, name, text }) => (
            <Entry key={id} text={text}>
              <Link to="/a/$accountId/templates/$templateId" params={{ accountId, templateId: id }}>
                <bdi>{name}</bdi>
              </Link>
            </Entry>
          ))}
          {flows.map(({ id, isPublished, name }) => (
            <Entry key={id} text={isPublished ? null : texts.draftOnly}>
              <Link to="/a/$accountId/flows/$flowId" params={{ accountId, flowId: id }}>
                <bdi>{name}</bdi>
              </Link>
            </Entry>
          ))}
          {campaigns.map(({ id, name, status }) => (
            <Entry key={id} text={words.states[status]}>
              <Link to="/a/$accountId/campaigns/$campaignId" params={{ accountId, campaignId: id }}>
                <bdi>{name}</bdi>
              </Link>
            </Entry>
          ))}
        </Rows>
      )}
    </Card>
  )
}
