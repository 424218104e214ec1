/**
 * The relays of the company with their states and reports, and the routes for the account's email.
 *
 * @module
 */
import { useState } from "react"
import { call } from "../../../api/call.ts"
import { useList } from "../../../api/queries.ts"
import { AreaTabs } from "../../../app/AreaTabs.tsx"
import { newPanel, usePanel } from "../../../app/panel.ts"
import { useTexts } from "../../../app/reader.tsx"
import { useAccount } from "../../../app/session.ts"
import { Button, IconButton } from "../../../parts/form/Button.tsx"
import { Entries } from "../../../parts/list/Entries.tsx"
import { Menu, MenuItem, MenuLine } from "../../../parts/overlay/Menu.tsx"
import { useAction } from "../../../parts/overlay/useAction.ts"
import { Page, Section } from "../../../parts/page/Page.tsx"
import { useRelayTexts } from "../../../texts/relays/useRelayTexts.ts"
import styles from "../Settings.module.css"
import { CheckDialog } from "./CheckDialog.tsx"
import { type Relay, RelayDialog, relaysRoute } from "./RelayDialog.tsx"
import { RelayEntry, RelayGuide } from "./RelayEntry.tsx"
import { RemoveDialog } from "./RemoveDialog.tsx"
import { Ways } from "./Ways.tsx"

/** The screen. */
export const Relays = () => {
  const { people, settings } = useTexts()
  const texts = useRelayTexts()
  const { can, canInCompany, company, id: accountId } = useAccount()
  const companyId = company.id
  const list = useList(relaysRoute, { params: { companyId } })
  const { isBusy, run } = useAction([relaysRoute])
  const [open, setOpen] = useState<{
    readonly what: "edit" | "check" | "remove"
    readonly relay: Relay
  } | null>(null)
  const [panel, show] = usePanel()
  const mayWrite = canInCompany("relays:write")
  const close = () => setOpen(null)
  const remove = ({ id, name }: Relay) => {
    const params = { companyId, id }
    close()
    void run(
      () => call("DELETE /companies/:companyId/relays/:id", { params }),
      texts.removed(name),
      undefined,
      (relay: Relay) => (relay.id === id ? null : relay)
    )
  }
  const check = (relay: Relay) => setOpen({ what: "check", relay })
  return (
    <Page isList title={settings.title}>
      <AreaTabs area="settings" />
      <div className={styles["scroll"]}>
        <div className={styles["content"]}>
          <Section
            title={texts.title}
            text={texts.text}
            actions={
              <>
                <RelayGuide />
                {mayWrite && (
                  <Button isSmall icon="plus" onClick={() => show(newPanel)}>
                    {texts.add}
                  </Button>
                )}
              </>
            }
          >
            <Entries list={list} empty={texts.none}>
              {(relay) => (
                <RelayEntry key={relay.id} relay={relay}>
                  {mayWrite && (
                    <Menu
                      align="end"
                      trigger={
                        <IconButton
                          isSmall
                          tone="plain"
                          icon="more"
                          label={`${people.actions}: ${relay.name}`}
                        />
                      }
                    >
                      <MenuItem icon="retry" onSelect={() => check(relay)}>
                        {texts.check}
                      </MenuItem>
                      <MenuItem onSelect={() => setOpen({ what: "edit", relay })}>{texts.edit}</MenuItem>
                      <MenuLine />
                      <MenuItem icon="trash" isDanger onSelect={() => setOpen({ what: "remove", relay })}>
                        {texts.remove}
                      </MenuItem>
                    </Menu>
                  )}
                </RelayEntry>
              )}
            </Entries>
          </Section>
          {can("company:read") && <Ways accountId={accountId} companyId={companyId} relays={list.items} />}
        </div>
      </div>
      {panel === newPanel && mayWrite && (
        <RelayDialog companyId={companyId} relay={null} onClose={() => show(null)} onDone={check} />
      )}
      {open?.what === "edit" && (
        <RelayDialog companyId={companyId} relay={open.relay} onClose={close} onDone={check} />
      )}
      {open?.what === "check" && <CheckDialog companyId={companyId} relay={open.relay} onClose={close} />}
      {open?.what === "remove" && (
        <RemoveDialog
          relay={open.relay}
          isBusy={isBusy}
          onClose={close}
          onConfirm={() => remove(open.relay)}
        />
      )}
    </Page>
  )
}
