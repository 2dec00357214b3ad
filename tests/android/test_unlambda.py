"""Lambdas become classes that do the same; a lambda that cannot become one ends the build."""

import zipfile

import pytest

from android.tools import TOOLS, made, run

LAMBDAS = """
import java.util.*;
import java.util.function.*;

public class Sample {
  interface Shape { default Supplier<String> name() { return () -> "shape of " + side(); } int side(); }
  interface Three<A> { A of(A one, long two, double three); }
  static class Base { protected String word() { return "base"; } }
  static class Sub extends Base {
    @Override protected String word() { return "sub"; }
    Supplier<String> above() { return super::word; }
    Supplier<String> own() { return this::word; }
  }
  private final String field = "field";
  private String secret(int n) { return field + n; }
  static String many(String... words) { return String.join("+", words); }

  public static void main(String[] arguments) {
    Sample sample = new Sample();
    byte small = 3; long wide = 1L << 40; double real = 0.5; float single = 1.5f; boolean yes = true; char letter = 'x';
    Supplier<String> captured = () -> small + ":" + wide + ":" + real + ":" + single + ":" + yes + ":" + letter;
    IntFunction<String> method = sample::secret;
    Function<Integer, String> boxed = sample::secret;
    Supplier<List<String>> made = ArrayList::new;
    IntFunction<int[]> array = int[]::new;
    IntToLongFunction widened = n -> n;
    IntToDoubleFunction real2 = Integer::valueOf;
    ToLongFunction<Integer> unboxed = Integer::intValue;
    Function<Object, Object> text = String::valueOf;
    BinaryOperator<Integer> sum = Integer::sum;
    Comparator<String> order = Comparator.comparing(String::length);
    Runnable dropped = sample::hashCode;
    Three<String> three = (one, two, threeth) -> one + two + threeth;
    BiFunction<String, String, String> joined = Sample::many;
    Callback<Integer> generic = n -> n + 1;
    dropped.run();
    StringBuilder out = new StringBuilder();
    out.append(captured.get()).append(method.apply(1)).append(boxed.apply(2)).append(made.get().size());
    out.append(array.apply(4).length).append(widened.applyAsLong(5)).append(real2.applyAsDouble(6));
    out.append(unboxed.applyAsLong(7)).append(text.apply(8)).append(sum.apply(9, 10));
    out.append(order.compare("a", "bb")).append(three.of("t", 1L, 2.0)).append(joined.apply("l", "r"));
    out.append(generic.call(11)).append(new Sub().above().get()).append(new Sub().own().get());
    Shape shape = () -> 12;
    out.append(shape.name().get());
    System.out.println(out);
  }
  interface Callback<T extends Number> { Object call(T value); }
}
"""
SERIALIZABLE = "class Sample { Object one() { return (Runnable & java.io.Serializable) () -> {}; } }"
PLAIN = "class Sample { String two(int n) { return \"a\" + n; } }"


# Writes a class that no Java 8 compiler makes: its method loads the requested constant.
MAKER = """
import java.nio.file.*;
import org.objectweb.asm.*;

public class Maker {
  public static void main(String[] arguments) throws Exception {
    Handle handle = new Handle(Opcodes.H_INVOKESTATIC, "Sample", "load", "()V", false);
    Handle bootstrap = new Handle(Opcodes.H_INVOKESTATIC, "Sample", "join", "()V", false);
    ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    writer.visit(Opcodes.V1_8, 0, "Sample", null, "java/lang/Object", null);
    MethodVisitor code = writer.visitMethod(Opcodes.ACC_STATIC, "load", "()V", null, null);
    if (arguments[0].equals("handle")) code.visitLdcInsn(handle);
    if (arguments[0].equals("type")) code.visitLdcInsn(Type.getMethodType("()V"));
    if (arguments[0].equals("joined")) code.visitInvokeDynamicInsn("join", "()Ljava/lang/String;", bootstrap);
    code.visitInsn(Opcodes.POP);
    code.visitInsn(Opcodes.RETURN);
    code.visitMaxs(0, 0);
    Files.write(Path.of(arguments[1]), writer.toByteArray());
  }
}
"""


def compiled(folder, source, release=8):
    """Returns the folder of the classes of one source file."""
    (folder / "Sample.java").write_text(source)
    classes = folder / "classes"
    result = run("javac", "-Xlint:-options", "--release", release, "-d", classes, folder / "Sample.java")
    assert result.returncode == 0, result.stderr
    return classes


def unlambda(folder, *inputs):
    path = f"{made('parts/asm.jar')}:{made('parts/asm-tree.jar')}"
    return run("java", "-cp", path, TOOLS / "Unlambda.java", folder / "out.jar", *inputs)


def test_every_kind_of_lambda_does_the_same_as_a_class(tmp_path):
    classes = compiled(tmp_path, LAMBDAS)
    result = unlambda(tmp_path, classes)
    assert result.returncode == 0, result.stderr
    before = run("java", "-cp", classes, "Sample")
    after = run("java", "-Xverify:all", "-cp", tmp_path / "out.jar", "Sample")
    assert before.returncode == 0, before.stderr
    assert after.stdout == before.stdout, after.stderr


def test_no_invokedynamic_is_left(tmp_path):
    classes = compiled(tmp_path, LAMBDAS)
    assert "invokedynamic" in run("javap", "-c", "-p", "-cp", classes, "Sample").stdout
    unlambda(tmp_path, classes)
    with zipfile.ZipFile(tmp_path / "out.jar") as out:
        names = [name.removesuffix(".class") for name in out.namelist()]
    assert len(names) > 20
    assert "invokedynamic" not in run("javap", "-c", "-p", "-cp", tmp_path / "out.jar", *names).stdout


def test_the_same_classes_give_the_same_bytes(tmp_path):
    classes = compiled(tmp_path, LAMBDAS)
    unlambda(tmp_path, classes)
    first = (tmp_path / "out.jar").read_bytes()
    unlambda(tmp_path, classes)
    assert (tmp_path / "out.jar").read_bytes() == first


@pytest.mark.parametrize(
    ("source", "release", "why"),
    [
        (SERIALIZABLE, 8, "Sample.one has an invokedynamic of java/lang/invoke/LambdaMetafactory.altMetafactory"),
        (PLAIN, 11, "Sample is a class file of version 55"),
    ],
    ids=["serializable", "newer-class-file"],
)
def test_what_cannot_be_turned_ends_the_build(tmp_path, source, release, why):
    result = unlambda(tmp_path, compiled(tmp_path, source, release))
    assert result.returncode != 0
    assert why in result.stderr
    assert not (tmp_path / "out.jar").exists()


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("handle", "Sample.load loads a constant that dx does not know"),
        ("type", "Sample.load loads a constant that dx does not know"),
        ("joined", "Sample.load has an invokedynamic of Sample.join"),
    ],
)
def test_what_no_phone_of_api_26_knows_ends_the_build(tmp_path, kind, why):
    (tmp_path / "Maker.java").write_text(MAKER)
    (tmp_path / "classes").mkdir()
    made_class = run("java", "-cp", made("parts/asm.jar"), tmp_path / "Maker.java", kind, tmp_path / "classes/Sample.class")
    assert made_class.returncode == 0, made_class.stderr
    result = unlambda(tmp_path, tmp_path / "classes")
    assert result.returncode != 0
    assert why in result.stderr


def test_a_class_that_comes_twice_ends_the_build(tmp_path):
    classes = compiled(tmp_path, PLAIN)
    result = unlambda(tmp_path, classes, classes)
    assert result.returncode != 0
    assert "Sample is there twice" in result.stderr
