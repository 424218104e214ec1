/**
 * Where a template is used: the flows and campaigns that send it, and when it was sent last.
 *
 * @module
 */
import { Link } from "@tanstack/react-router"
import { useApi } from "../../api/queries.ts"
import { useAccount } from "../../app/session.ts"
import { Entry, Nothing, Rows } from "../../parts/page/Columns.tsx"
import { Loaded } from "../../parts/page/Loaded.tsx"
import { Card, Facts, Section } from "../../parts/page/Page.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { useCampaignTexts } from "../../texts/campaigns/useCampaignTexts.ts"
import { useEditorTexts } from "../../texts/editors/useEditorTexts.ts"

/** The part of the screen. */
export const Usage = ({ templateId }: { readonly templateId: string }) => {
  const { template: texts } = useEditorTexts()
  const words = useCampaignTexts()
  const { id: accountId } = useAccount()
  const query = useApi("GET /accounts/:accountId/templates/:id/usage", {
    params: { accountId, id: templateId }
  })
  return (
    <Section title={texts.usage}>
      <Loaded query={query}>
        {({ campaigns, flows, lastUsedAt }) => (
          <>
            <Card isFlush>
              {flows.length + campaigns.length === 0 ? (
                <Nothing>{texts.noUsage}</Nothing>
              ) : (
                <Rows>
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
            {lastUsedAt !== null && (
              <Facts facts={[[texts.lastUsed, <RelativeTime key="at" at={lastUsedAt} />]]} />
            )}
          </>
        )}
      </Loaded>
    </Section>
  )
}
