export function up(data) {
  data.orders = [
    { id: 1, item: 'tea', pieces: 2 },
    { id: 2, item: 'cups', pieces: 6 },
  ];
}

export function down(data) {
  delete data.orders;
}
