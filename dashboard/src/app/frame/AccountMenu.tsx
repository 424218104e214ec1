/**
 * The menu that switches between companies, and between the live account and the sandbox of the current one.
 *
 * @module
 */
import { useNavigate } from "@tanstack/react-router"
import type { ReactElement } from "react"
import { Menu, MenuChoice, MenuLine } from "../../parts/overlay/Menu.tsx"
import { useTexts } from "../reader.tsx"
import { useNavigationAccount, useCompanies } from "../session.ts"

/** The menu. It opens as soon as it is loaded, because a click on its button loads it. */
export const AccountMenu = ({ trigger }: { readonly trigger: ReactElement }) => {
  const texts = useTexts()
  const account = useNavigationAccount()
  const companies = useCompanies()
  const navigate = useNavigate()
  const company = account?.company ?? companies[0]
  const show = (accountId: string) => void navigate({ to: "/a/$accountId", params: { accountId } })
  return (
    <Menu trigger={trigger} startsOpen>
      {company !== undefined && (
        <MenuChoice
          label={texts.nav.mode}
          value={account?.id ?? ""}
          onChange={show}
          options={[
            { value: company.live.accountId, label: texts.nav.live },
            { value: company.sandbox.accountId, label: texts.nav.sandbox }
          ]}
        />
      )}
      {companies.length > 1 && (
        <>
          <MenuLine />
          <MenuChoice
            label={texts.nav.companies}
            value={company?.id ?? ""}
            onChange={(id) => {
              const chosen = companies.find((one) => one.id === id)
              if (chosen !== undefined) show(chosen[account?.mode ?? "live"].accountId)
            }}
            options={companies.map(({ id, name }) => ({ value: id, label: name }))}
          />
        </>
      )}
    </Menu>
  )
}
