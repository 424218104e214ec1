/**
 * Where a template is used: the flows and campaigns that send it, and when it was last sent.
 *
 * @module
 */
import { useApi } from "../../api/queries.ts"
import { useAccount } from "../../app/session.ts"
import { Loaded } from "../../parts/page/Loaded.tsx"
import { Facts, Section } from "../../parts/page/Page.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { useEditorTexts } from "../../texts/editors/useEditorTexts.ts"
import { UsedBy } from "../editors/UsedBy.tsx"

/** The section of the screen. */
export const Usage = ({ templateId }: { readonly templateId: string }) => {
  const { template: texts } = useEditorTexts()
  const { id: accountId } = useAccount()
  const query = useApi("GET /accounts/:accountId/templates/:id/usage", {
    params: { accountId, id: templateId }
  })
  return (
    <Section title={texts.usage}>
      <Loaded query={query}>
        {({ lastUsedAt, ...usage }) => (
          <>
            <UsedBy usage={usage} none={texts.noUsage} />
            {lastUsedAt !== null && (
              <Facts facts={[[texts.lastUsed, <RelativeTime key="at" at={lastUsedAt} />]]} />
            )}
          </>
        )}
      </Loaded>
    </Section>
  )
}
