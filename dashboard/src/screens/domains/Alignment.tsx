/**
 * Whether a domain's email is authenticated as large providers require, and what to do if it is not.
 *
 * @module
 */
import { useApi } from "../../api/queries.ts"
import { Entry, Rows } from "../../parts/page/Columns.tsx"
import { Loaded } from "../../parts/page/Loaded.tsx"
import { Card, Facts, Section } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { useDeliveryTexts } from "../../texts/delivery/useDeliveryTexts.ts"

const tones = { Pass: "good", Warn: "warning", Fail: "bad" } as const

/** The section of a domain's screen. */
export const Alignment = ({ accountId, domain }: { readonly accountId: string; readonly domain: string }) => {
  const { alignment: texts } = useDeliveryTexts()
  const query = useApi("GET /accounts/:accountId/alignment", { params: { accountId }, query: { domain } })
  return (
    <Section title={texts.title} text={texts.text}>
      <Loaded query={query}>
        {(checks) => (
          <Card isFlush>
            <Rows>
              {checks.map(({ check, expected, fix, outcome, seen }) => (
                <Entry
                  key={check === "Relay" ? `${check} ${seen}` : check}
                  text={
                    // The records that a relay requires cannot be looked up.
                    outcome === "Pass" && check !== "Relay" ? undefined : (
                      <Facts
                        facts={[
                          fix === null ? null : [texts.fix, fix],
                          [texts.expected, <code key="expected">{expected}</code>],
                          check === "Relay"
                            ? null
                            : [texts.seen, <code key="seen">{seen ?? texts.nothing}</code>]
                        ]}
                      />
                    )
                  }
                  end={<Badge tone={tones[outcome]}>{texts.outcomes[outcome]}</Badge>}
                >
                  {texts.checks[check] ?? check}
                  {check === "Relay" ? `: ${seen}` : ""}
                </Entry>
              ))}
            </Rows>
          </Card>
        )}
      </Loaded>
    </Section>
  )
}
