/** From now on an order has a state: paying for it needs that. */
export function up(data) {
  for (const order of data.orders) order.state = 'open';
}

export function down(data) {
  for (const order of data.orders) delete order.state;
}
