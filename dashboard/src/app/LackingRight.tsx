/**
 * What is shown instead of a screen for which the user's role lacks a right.
 *
 * @module
 */
import type { Right } from "../lib/rights.ts"
import { ButtonLink } from "../parts/form/Button.tsx"
import { Banner } from "../parts/page/Banner.tsx"
import { Page } from "../parts/page/Page.tsx"
import { AreaTabs } from "./AreaTabs.tsx"
import { type AreaScreen, areaOf } from "./frame/navigation.ts"
import { useTexts } from "./reader.tsx"
import { useAccount } from "./session.ts"

/** Says which right is missing, or that the user has no access to the live account. */
export const LackingRight = ({ right, screen }: { readonly right: Right; readonly screen: AreaScreen }) => {
  const texts = useTexts()
  const { can, company, mode } = useAccount()
  const area = areaOf(screen)
  // A member without access to the live account sees only its name.
  const isShut = mode === "live" && !can("company:read")
  return (
    <Page title={area.name(texts)}>
      <AreaTabs area={area.id} />
      {isShut ? (
        <Banner
          tone="warning"
          action={
            <ButtonLink isSmall to="/a/$accountId" params={{ accountId: company.sandbox.accountId }}>
              {texts.nav.toSandbox}
            </ButtonLink>
          }
        >
          {texts.nav.noLiveAccess}
        </Banner>
      ) : (
        <Banner tone="warning">{texts.errors.noRight(right)}</Banner>
      )}
    </Page>
  )
}
