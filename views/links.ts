/** The console's page of an execution; absent where there is no console. */
export type Links = (executionArn: string) => string;
