/** Ports at which hosts beyond a list can be asked for (S35): of ssh and the web. */
export const ASKED_PORTS: readonly number[] = [22, 80, 443];
