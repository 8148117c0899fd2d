// Why buttons are of no use to whoever is here.
import { lacking } from "../server/role.js";

/** @param {{role: string, of: string, needed?: boolean}} props `of`: what takes a token of that role */
export function Lacking({ role, of, needed = true }) {
  const why = lacking(role, of);
  return why && needed ? <p class="note lacking">{why}</p> : null;
}
